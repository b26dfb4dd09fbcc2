import { openSealed, SealBroken, seal } from '../../crypto/chunked-encryption.ts';
import { batchInsert } from '../../db/batch-statements.ts';
import type { Read, Row, Statement } from '../../db/database.ts';
import { bytesField, idField, textOrNull } from '../../db/row-fields.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { VerificationId } from '../../kernel/id.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import { decodeExplanation, type Explanation, encodeExplanation } from './explanation.ts';
import type { IdentityPorts } from './ports.ts';
import type { Verification } from './verification.ts';

type StoreKeys = Pick<IdentityPorts, 'citizenKeys' | 'random'>;

/** Facts about a verification that are stored with its result. */
type VerificationRecord = {
  readonly clientId: string;
  /** The citizen of the result; null if the result is not about exactly one citizen. */
  readonly citizenId: string | null;
  /** Whether the request had no citizen id. */
  readonly isSearch: boolean;
  readonly checkedAt: number;
  readonly explanation: Explanation;
};

const insertVerificationRow = batchInsert(
  'verification',
  'id, client_id, citizen_id, is_search, checked_at, sealed_result',
);

/** The plain text of the sealed column. `explainableFrom`: the citizen may not read the explanation before (epoch ms). */
type StoredResult = {
  readonly result: Verification;
  readonly explanation: string;
  readonly explainableFrom?: number | undefined;
};

/** Stores a result, sealed under the key of the citizen: destroying that key erases it. */
export async function insertVerification(
  result: Verification,
  { clientId, citizenId, isSearch, checkedAt, explanation }: VerificationRecord,
  keys: StoreKeys,
): Promise<Statement> {
  const { verificationId: id } = result;
  const key = await keys.citizenKeys.keyOf(keyOwner(citizenId, id));
  const stored: StoredResult = {
    result,
    explanation: encodeExplanation(explanation),
    explainableFrom: explanation.from,
  };
  const sealed = seal(key, sealContext(id), Buffer.from(JSON.stringify(stored)), keys.random);
  return insertVerificationRow([id, clientId, citizenId, isSearch, checkedAt, sealed]);
}

/** Undefined if the citizen was erased: the key is destroyed. */
function openResult(key: Uint8Array, id: VerificationId, sealed: Uint8Array): StoredResult | undefined {
  try {
    // Only `insertVerification` writes this column, and the seal shows that nobody changed it.
    return JSON.parse(Buffer.from(openSealed(key, sealContext(id), sealed)).toString()) as StoredResult;
  } catch (fault) {
    if (fault instanceof SealBroken) return undefined;
    throw fault;
  }
}

/** The result as it was sent to this client; undefined for any other client, and after the citizen was erased. */
export async function findVerification(
  read: Read,
  id: VerificationId,
  clientId: string,
  keys: StoreKeys,
): Promise<
  { readonly result: Verification; readonly citizenId: string | null; readonly isSearch: boolean } | undefined
> {
  const sql = 'select citizen_id, is_search, sealed_result from verification where id = $1 and client_id = $2';
  const [row] = await read(sql, [id, clientId]);
  if (row === undefined) return undefined;
  const citizenId = textOrNull(row, 'citizen_id');
  const key = await keys.citizenKeys.keyOf(keyOwner(citizenId, id));
  const stored = openResult(key, id, bytesField(row, 'sealed_result'));
  return stored && { result: stored.result, citizenId, isSearch: row['is_search'] === true };
}

type ExplanationDeps = {
  readonly read: Read;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf'>;
  readonly clock: Clock;
};

/**
 * Explains a verification to its citizen. Undefined for any other citizen, after the result was deleted, and before the citizen may read
 * the explanation.
 */
export async function findExplanation(
  { read, citizenKeys, clock }: ExplanationDeps,
  id: VerificationId,
  citizenId: string,
): Promise<Explanation | undefined> {
  const [row] = await read('select sealed_result from verification where id = $1 and citizen_id = $2', [id, citizenId]);
  if (row === undefined) return undefined;
  const stored = openResult(await citizenKeys.keyOf(citizenId), id, bytesField(row, 'sealed_result'));
  if (stored === undefined || (stored.explainableFrom ?? 0) > clock.now()) return undefined;
  return decodeExplanation(stored.explanation);
}

/** The decision of a stored result; undefined if the key of its citizen was destroyed. */
export async function storedDecisionOf(
  row: Row,
  keys: Pick<CitizenKeys, 'keyOf' | 'earlierKeyOf'>,
): Promise<Verification['decision'] | undefined> {
  const id = idField(row, 'id', 'verification');
  const owner = keyOwner(textOrNull(row, 'citizen_id'), id);
  const sealed = bytesField(row, 'sealed_result');
  // If the id was unknown at the time of the verification, the result is sealed under an earlier key.
  const stored =
    openResult(await keys.keyOf(owner), id, sealed) ?? openResult(await keys.earlierKeyOf(owner), id, sealed);
  return stored?.result.decision;
}

function sealContext(id: VerificationId): string {
  return `citizen-services/verification@v1\0${id}`;
}

/** A result without a citizen is sealed under a key that is derived from the root key, like the key of an unknown id. */
function keyOwner(citizenId: string | null, id: VerificationId): string {
  return citizenId ?? id;
}
