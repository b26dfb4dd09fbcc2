import { batchInsert } from '../db/batch-statements.ts';
import type { Read, Statement } from '../db/database.ts';
import { integerField, textField } from '../db/row-fields.ts';
import type { WriteWithoutEvent } from '../jobs/write-without-event.ts';
import { canonicalJson, type Json } from '../kernel/canonical-json.ts';
import { hmac, sha256 } from '../kernel/hashing.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { OperationResponse } from './operation.ts';

/** Identifies one logical request. The same key of another client, or for another operation, is another request. */
type RequestKey = { readonly clientId: string; readonly operation: string; readonly key: string };

/** Parses an `Idempotency-Key` header: a bare token or a structured-field string, 1 to 255 printable characters. */
export function parseIdempotencyKey(header: string): string | Refusal {
  const inner = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/.exec(header.trim())?.[1];
  const key = inner === undefined ? header.trim() : inner.replaceAll(/\\(["\\])/g, '$1');
  return /^[\x20-\x7e]{1,255}$/.test(key) ? key : refuse('idempotency-key-invalid');
}

/** The HMAC of an input. With a plain hash, a reader of the database could guess what a message to a citizen says. */
export function fingerprintRequest(key: Uint8Array, input: unknown): Buffer {
  // The input was parsed from JSON or headers, so it contains JSON only.
  return hmac('sha256', key, sha256(Buffer.from(canonicalJson(input as Json))));
}

/** The fingerprint of a request's input, and the function that decrypts the body of the stored response. */
type RequestFingerprint = {
  readonly digest: Buffer;
  readonly open: (stored: string) => Promise<string>;
};

/** The idempotency key of a request in progress. The fingerprint is set when the key is looked up. */
export type IdempotencyState = { readonly request: RequestKey; fingerprint?: RequestFingerprint };

/** The fingerprint of a request whose key was looked up; throws for an operation that did not do so. */
export function requestFingerprintOf(key: IdempotencyState): RequestFingerprint {
  if (key.fingerprint === undefined)
    throw new TypeError('expected an idempotent operation to look up its key before its effect');
  return key.fingerprint;
}

/** Returns the response that is stored under the key, if any, or the refusal of a key that was used with another input. */
export async function findStoredResult(
  read: Read,
  request: RequestKey,
  { digest, open }: RequestFingerprint,
): Promise<OperationResponse | Refusal | undefined> {
  const [row] = await read(
    'select fingerprint, status, headers, body from idempotency where client_id = $1 and operation = $2 and key = $3',
    [request.clientId, request.operation, request.key],
  );
  if (row === undefined) return undefined;
  const stored = row['fingerprint'];
  if (!(stored instanceof Uint8Array) || !digest.equals(stored)) return refuse('idempotency-key-reused');
  // `storeResult` wrote both texts.
  const headers = JSON.parse(textField(row, 'headers')) as Record<string, string>;
  const json: unknown = JSON.parse(await open(textField(row, 'body')));
  return { status: integerField(row, 'status'), headers: { ...headers, 'idempotent-replayed': 'true' }, json };
}

const insertStoredAnswer = batchInsert(
  'idempotency',
  'client_id, operation, key, citizen_id, fingerprint, status, headers, body, created_at',
);

/** A request whose response is stored, and the citizen whose erasure deletes that response. */
type StorableRequest = { readonly request: RequestKey; readonly digest: Buffer; readonly citizenId: string | null };

/** The statement that stores a response with its effect. A second response under the same key violates the primary key. */
export function storeResult(
  { request, digest, citizenId }: StorableRequest,
  answer: OperationResponse,
  now: number,
  seal = (body: string) => body,
): Statement {
  if (!('json' in answer)) throw new TypeError('expected a JSON response of an idempotent operation');
  return insertStoredAnswer([
    request.clientId,
    request.operation,
    request.key,
    citizenId,
    digest,
    answer.status,
    JSON.stringify(answer.headers ?? {}),
    seal(JSON.stringify(answer.json)),
    now,
  ]);
}

/** Deletes the stored responses to requests about a citizen. A request that is repeated afterwards is a new request. */
export function deleteStoredResultsOf(citizenId: string): Statement {
  return { sql: 'delete from idempotency where citizen_id = $1', args: [citizenId] };
}

/** How long a response is stored: a request that is repeated later is a new request. */
export const storedResultKeptMs = 30 * 86_400_000;
/** Other writes wait for each deletion, so one deletion is limited to this number of rows. */
const deleteBatchRows = 500;

/** Deletes the responses that were stored longer ago than `storedResultKeptMs`, and returns their number. */
export async function deleteExpiredResults(claim: WriteWithoutEvent, now: number): Promise<number> {
  for (let total = 0; ; ) {
    const rows = await claim({
      sql: `delete from idempotency where (client_id, operation, key) in
        (select client_id, operation, key from idempotency where created_at < $1 order by created_at limit ${deleteBatchRows})
        returning key`,
      args: [now - storedResultKeptMs],
    });
    total += rows.length;
    if (rows.length < deleteBatchRows) return total;
  }
}
