import { timingSafeEqual } from 'node:crypto';
import { Type } from 'typebox';
import { defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { deriveMessageKey, keyBytes, openSealed, SealBroken, saltBytes, seal } from '../crypto/chunked-encryption.ts';
import type { Statement } from '../db/database.ts';
import { refuse } from '../kernel/refusal.ts';
import { depositForm, toFormRefusal } from './deposit-form.ts';
import { depositHeaders } from './deposit-headers.ts';
import { type DepositRequest, parseDeposit } from './deposit-request.ts';
import type { SealedDocument } from './document.ts';
import { documentRecord, toDocumentRecord } from './document-record.ts';
import { insertDocument } from './document-store.ts';
import type { DocumentPorts } from './ports.ts';
import { receiveDocument } from './receive-document.ts';
import { removeSealedBlob } from './retention/erase-document.ts';
import { blobContext, type DocumentContent, sealRecord } from './sealed-record.ts';

const request = { headers: depositHeaders };

/**
 * Deposits a document for a citizen. It is encrypted while it arrives. The blob is stored before the event; without the event
 * the blob is removed, or a sweep removes it after a crash.
 */
export const depositDocument = defineOperation({
  name: 'depositDocument',
  since: '1.0',
  method: 'POST',
  path: '/v1/documents',
  scope: 'documents:write',
  callers: ['clients'],
  summary: 'Deposit a document for a citizen',
  description:
    'Send the document as the body and describe it in headers, or send multipart/form-data: first the fields, then the part document. The server compares the first bytes with the media type, and the digest with Repr-Digest, which an Idempotency-Key requires. An interrupted upload stores nothing. The status of the document is scanning until the malware scanner finds it clean.',
  request,
  bodyBytes: { usualType: 'application/pdf', form: depositForm },
  idempotent: true,
  responses: {
    201: {
      description: 'The document is stored durably.',
      schema: Type.Interface([documentRecord], {
        receipt: Type.String({ description: 'The path of the ledger receipt of this deposit.' }),
      }),
      headers: {
        Location: 'The path of the document.',
        'Idempotent-Replayed': 'true if the server repeats an earlier response.',
      },
    },
  },
  refusals: [
    'citizen-not-found',
    'content-mismatch',
    'unsupported-media-type',
    'purpose-not-permitted',
    'changed-meanwhile',
    'register-unavailable',
  ],
  citizenData: true,
  run: async (call: DepositCall) => {
    const { caller, now, ports } = call;
    const deposit = await parseDeposit(call);
    if ('refusal' in deposit) return deposit;
    const { citizenId, processingBasis } = deposit.terms;
    const citizenKey = (await citizenKeyFor(ports, citizenId))?.key;
    const context = `citizen-services/kept-deposit@v1\0${caller.clientId}`;
    const earlier = await earlierAnswerOf(call, deposit, { citizenKey, context });
    if (earlier !== undefined) return earlier;
    if (citizenKey === undefined || !(await ports.citizenExists(citizenId))) return await refuseUnknown(call, deposit);

    const stored = await storeBytes(call, deposit, citizenKey);
    if ('refusal' in stored) return stored;
    const { document, content, keyGuards } = stored;
    const { id } = document;
    const event = call.createId('event');
    const actor = { client: caller.clientId };
    const record = toDocumentRecord(document, content, { grants: [], reader: { client: caller.clientId }, now });
    const about = { actor, citizenId, document: id, digest: record.digest } as const;
    return {
      effect: {
        events: [{ type: 'document.deposited', id: event, at: now, ...about, ...processingBasis }],
        statements: [...keyGuards, insertDocument(document)],
      },
      answer: {
        status: 201,
        headers: { location: `/v1/documents/${id}`, 'cache-control': 'private, no-store' },
        json: { ...record, receipt: `/v1/receipts/${event}` },
      },
      undo: () => removeSealedBlob(ports, document),
      onConflict: (statement) => {
        if (statement >= keyGuards.length) throw new DepositRowRefused('the row of a deposit was refused');
        return keyChanged();
      },
      sealBody: (body) => seal(citizenKey, context, Buffer.from(body), ports.random).toString('base64'),
    };
  },
});

type DepositCall = OperationCall<typeof request, DocumentPorts>;
type StoredDeposit = {
  readonly document: SealedDocument & { readonly status: 'scanning' | 'available' };
  readonly content: DocumentContent;
  readonly keyGuards: readonly Statement[];
};

/**
 * The current key of the citizen, with the precondition that it still exists; undefined for an unknown citizen.
 */
async function citizenKeyFor(
  { citizenKeys, citizensHaveKeys }: DepositCall['ports'],
  citizenId: string,
): Promise<{ readonly key: Uint8Array; readonly precondition?: Statement } | undefined> {
  const currentKey = await citizenKeys.guardedKeyOf(citizenId);
  if (currentKey !== undefined || citizensHaveKeys) return currentKey;
  return { key: await citizenKeys.keyOf(citizenId) };
}

/**
 * The stored answer for the `Idempotency-Key`, or its refusal. Unknown citizens are handled like known ones: otherwise a
 * refusal for a reused key would reveal who is in the register.
 */
async function earlierAnswerOf(
  { repeat }: DepositCall,
  { input }: DepositRequest,
  { citizenKey, context }: { readonly citizenKey: Uint8Array | undefined; readonly context: string },
) {
  let isKeyErased = false;
  const earlier = await repeat?.findStoredResult(input, async (sealedAnswer) => {
    try {
      if (citizenKey !== undefined)
        return openSealed(citizenKey, context, Buffer.from(sealedAnswer, 'base64')).toString();
    } catch (fault) {
      if (!(fault instanceof SealBroken)) throw fault;
    }
    isKeyErased = true;
    return 'null';
  });
  if (!isKeyErased) return earlier;
  // The stored answer was encrypted under the destroyed key. A citizen who is imported again has another key.
  const detail = 'The citizen of the deposit with this key was erased, together with the stored response.';
  return citizenKey === undefined ? undefined : { refusal: refuse('idempotency-key-reused', detail) };
}

/** The row of a deposit was refused, although its id is new: the database is in an unexpected state. */
class DepositRowRefused extends Error {
  override readonly name = 'DepositRowRefused';
}

const keyChanged = () =>
  refuse('changed-meanwhile', 'The key of the citizen changed during the request. Repeat the request.');

/**
 * Refuses a deposit for an unknown citizen after its last byte. A client that sends rejected bytes, or aborts, must not learn
 * who is in the register. To learn it about a known citizen, it must make a deposit, which is recorded.
 */
async function refuseUnknown(call: DepositCall, deposit: DepositRequest): Promise<RefusedDecision> {
  const arrival = await receiveBytes(call, deposit);
  if ('refusal' in arrival) return arrival;
  await removeSealedBlob(call.ports, arrival);
  return { refusal: refuse('citizen-not-found') };
}

/** Receives and encrypts the bytes under a data key of their own. A refusal leaves no blob. */
async function receiveBytes(call: DepositCall, { terms, pieces, isForm }: DepositRequest) {
  const { bytes, ports, signal } = call;
  const id = call.createId('document');
  const dataKey = ports.random(keyBytes);
  const message = deriveMessageKey(dataKey, blobContext(id), ports.random(saltBytes));
  const destination = { blobs: ports.blobs, name: id, message };
  const arrival = await receiveDocument({ request: bytes, pieces, signal, maxBytes: ports.limit }, destination, terms);
  if ('refusal' in arrival) return isForm ? { refusal: toFormRefusal(arrival.refusal) } : arrival;
  return { id, dataKey, header: message.header, received: arrival.received };
}

/**
 * Receives the bytes, then seals the record under the citizen's key. `keyGuards` refuse the row if the key was destroyed or
 * replaced meanwhile: no document outlives the key. A refusal leaves no blob.
 */
async function storeBytes(
  call: DepositCall,
  deposit: DepositRequest,
  citizenKey: Uint8Array,
): Promise<StoredDeposit | RefusedDecision> {
  const { caller, now, ports } = call;
  const { citizenId, eraseAt, issuedAt, kind, media, retainUntil, retentionClass, title } = deposit.terms;
  const arrival = await receiveBytes(call, deposit);
  if ('refusal' in arrival) return arrival;
  const { id, dataKey, header } = arrival;
  const currentKey = await citizenKeyFor(ports, citizenId).catch(async (fault: unknown) => {
    await removeSealedBlob(ports, { id });
    throw fault;
  });
  if (currentKey === undefined || !timingSafeEqual(currentKey.key, citizenKey)) {
    await removeSealedBlob(ports, { id });
    return { refusal: keyChanged() };
  }

  const { plainBytes: size, plainSha256: sha256, sealedBytes: sealedSize, sealedSha256 } = arrival.received;
  const described = { title, kind, mediaType: media.name, size, sealedSize, sha256, sealedSha256, issuedAt };
  const content = { ...described, dataKey, header };
  const head = { id, citizenId, issuer: caller.clientId, createdAt: now };
  const binding = { ...head, pseudonym: ports.citizenKeys.pseudonymOf(citizenId) };
  const sealedRecord = sealRecord(citizenKey, binding, content, ports.random);
  const base = { ...head, retainUntil, retentionClass, eraseAt, held: false, sealedRecord };
  const scan = { verdict: 'not-scanned', at: now, engine: null, finding: null } as const;
  const document = ports.scans
    ? ({ ...base, status: 'scanning', scan: null } as const)
    : ({ ...base, status: 'available', scan } as const);
  return { document, content, keyGuards: currentKey.precondition === undefined ? [] : [currentKey.precondition] };
}
