import { openSealed, SealBroken, seal } from '../../crypto/chunked-encryption.ts';
import { batchInsert } from '../../db/batch-statements.ts';
import type { Read, Row, Statement } from '../../db/database.ts';
import { bytesField, idField, textOrNull } from '../../db/row-fields.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { VerificationId } from '../../kernel/id.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import type { Explanation } from './explanation.ts';
import type { IdentityPorts } from './ports.ts';
import { decodeStoredExplanation, decodeStoredResult, encodeStoredResult } from './stored-result.ts';
import type { Verification } from './verification.ts';

type StoreKeys = Pick<IdentityPorts, 'citizenKeys' | 'random'>;

/** Who asked, when, and about which citizen, where one person is concerned. */
export type VerificationRecord = {
  readonly clientId: string;
  readonly citizenId: string | null;
  /** Whether the question had no id. */
  readonly isSearch: boolean;
  readonly checkedAt: number;
  readonly explanation: Explanation;
};

const insertVerificationRow = batchInsert('verification', 'id, client_id, citizen_id, searched, checked_at, answer');

/** The statement that keeps an answer, sealed under the key of the citizen. */
export async function insertVerification(
  answer: Verification,
  record: VerificationRecord,
  keys: StoreKeys,
): Promise<Statement> {
  const { verificationId: id } = answer;
  const { clientId, citizenId, isSearch, checkedAt, explanation } = record;
  const key = await keys.citizenKeys.keyOf(keyOwner(citizenId, id));
  const sealed = seal(key, sealContext(id), encodeStoredResult(answer, explanation), keys.random);
  return insertVerificationRow([id, clientId, citizenId, isSearch, checkedAt, sealed]);
}

/** The answer that this client got under that id, as it was sent; undefined for any other client, or when erased. */
export async function findVerification(
  read: Read,
  id: VerificationId,
  clientId: string,
  keys: StoreKeys,
): Promise<{ readonly answer: Verification; readonly citizenId: string | null; searched: boolean } | undefined> {
  const sql = 'select citizen_id, searched, answer from verification where id = $1 and client_id = $2';
  const [row] = await read(sql, [id, clientId]);
  const sealed = row?.['answer'];
  if (row === undefined || !(sealed instanceof Uint8Array)) return undefined;
  const citizenId = typeof row['citizen_id'] === 'string' ? row['citizen_id'] : null;
  const key = await keys.citizenKeys.keyOf(keyOwner(citizenId, id));
  try {
    return {
      answer: decodeStoredResult(openSealed(key, sealContext(id), sealed)),
      citizenId,
      searched: row['searched'] === true,
    };
  } catch (fault) {
    // The key of an erased citizen is gone, and the answer with it.
    if (fault instanceof SealBroken) return undefined;
    throw fault;
  }
}

type ExplanationDeps = {
  readonly read: Read;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf'>;
  readonly clock: Clock;
};

/**
 * Why a question about that citizen was answered as it was. Undefined if the answer was about somebody else or nobody, is no
 * longer stored, or may not be explained yet.
 */
export async function findExplanation(
  { read, citizenKeys, clock }: ExplanationDeps,
  id: VerificationId,
  citizenId: string,
): Promise<Explanation | undefined> {
  const [row] = await read('select answer from verification where id = $1 and citizen_id = $2', [id, citizenId]);
  const sealed = row?.['answer'];
  if (!(sealed instanceof Uint8Array)) return undefined;
  try {
    const { from = 0, ...explanation } = decodeStoredExplanation(
      openSealed(await citizenKeys.keyOf(citizenId), sealContext(id), sealed),
    );
    return from <= clock.now() ? explanation : undefined;
  } catch (fault) {
    if (fault instanceof SealBroken) return undefined;
    throw fault;
  }
}

/** How an answer that was kept has ended; undefined where the key of its citizen is gone. */
export async function storedDecisionOf(row: Row, keys: Pick<CitizenKeys, 'keyOf' | 'decoyKeyOf'>) {
  const id = idField(row, 'id', 'verification');
  const owner = keyOwner(textOrNull(row, 'citizen_id'), id);
  // The register may have received the id since then. Before, the answer was sealed under the key of unknown ids.
  for (const key of [await keys.keyOf(owner), keys.decoyKeyOf(owner)]) {
    try {
      return decodeStoredResult(openSealed(key, sealContext(id), bytesField(row, 'answer'))).decision;
    } catch (fault) {
      if (!(fault instanceof SealBroken)) throw fault;
    }
  }
  return undefined;
}

function sealContext(id: VerificationId): string {
  return `citizen-services/verification@v1\0${id}`;
}

/** An answer about nobody in particular has a key of its own, derived from the root like that of an unknown id. */
function keyOwner(citizenId: string | null, id: VerificationId): string {
  return citizenId ?? id;
}
