import { timingSafeEqual } from 'node:crypto';
import { Type } from 'typebox';
import { type Call, defineOperation, type Refused } from '../api/operation.ts';
import { refuse } from '../kernel/problem.ts';
import { keyBytes, open, SealBroken, saltBytes, seal, startMessage } from '../keys/chunked-encryption.ts';
import type { Statement } from '../store/db.ts';
import { depositForm } from './deposit-form.ts';
import { depositHeaders } from './deposit-headers.ts';
import { readDeposit, type Wanted } from './deposit-terms.ts';
import type { HeldDocument } from './document.ts';
import { documentRecord, recordOf } from './document-record.ts';
import { insertDocument } from './document-store.ts';
import { removeSealed } from './erase-document.ts';
import type { DocumentPorts } from './ports.ts';
import { receiveDocument } from './receive-document.ts';
import { contentContext, type DocumentContent, sealRecord } from './sealed-record.ts';

const request = { headers: depositHeaders };

/** Takes a document for a citizen: sealed on the way in, and stored whole with its event, or not at all. */
export const depositDocument = defineOperation({
  name: 'depositDocument',
  since: '1.0',
  method: 'POST',
  path: '/v1/documents',
  scope: 'documents:write',
  summary: 'Deposit a document for a citizen',
  description:
    'The body is the document itself, streamed; what is known of it stands in headers. Text in headers is percent-encoded UTF-8 (encodeURIComponent); plain ASCII without % needs no encoding. The document is encrypted on the way in, under a key that only the citizen’s key opens. Its first bytes are compared with Content-Type, its digest with Repr-Digest where that is sent. A broken upload leaves nothing behind. The same as multipart/form-data: the fields citizenId, title, kind, issuedAt, retainUntil, retentionClass, purpose, legalBasis and digest (as Repr-Digest), then the part document. With an Idempotency-Key, the digest is required. Where the installation has a malware scanner, the document is in state scanning until it was found clean.',
  request,
  bodyBytes: { usualType: 'application/pdf', form: depositForm },
  idempotent: true,
  responses: {
    201: {
      description: 'Stored, and durable.',
      schema: Type.Interface([documentRecord], {
        receipt: Type.String({ description: 'The receipt of this deposit.' }),
      }),
      headers: {
        Location: 'The path of the document.',
        'Idempotent-Replayed': 'true where an earlier answer is repeated.',
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
    const wanted = await readDeposit(call);
    if ('refusal' in wanted) return wanted;
    const { citizenId, ground } = wanted.terms;
    const citizenKey = (await keyFor(ports, citizenId))?.key;
    const context = `citizen-services/kept-deposit@v1\0${caller.clientId}`;
    const earlier = await earlierOf(call, wanted, { citizenKey, context });
    if (earlier !== undefined) return earlier;
    if (citizenKey === undefined || !(await ports.citizenExists(citizenId))) return await refuseUnknown(call, wanted);

    const stored = await storeBytes(call, wanted, citizenKey);
    if ('refusal' in stored) return stored;
    const { document, content, stands } = stored;
    const { id } = document;
    const event = call.mint('event');
    const actor = { client: caller.clientId };
    const record = recordOf(document, content, { grants: [], reader: { client: caller.clientId }, now });
    const about = { actor, citizenId, document: id, digest: record.digest } as const;
    return {
      effect: {
        events: [{ type: 'document.deposited', id: event, at: now, ...about, ...ground }],
        statements: [...stands, insertDocument(document)],
      },
      answer: {
        status: 201,
        headers: { location: `/v1/documents/${id}`, 'cache-control': 'private, no-store' },
        json: { ...record, receipt: `/v1/receipts/${event}` },
      },
      undo: () => removeSealed(ports, document),
      onRefused: (statement) => {
        if (statement >= stands.length) throw new Error('the row of a deposit was refused');
        return keyChanged();
      },
      keep: (body) => seal(citizenKey, context, Buffer.from(body), ports.random).toString('base64'),
    };
  },
});

type DepositCall = Call<typeof request, DocumentPorts>;
type Stored = {
  readonly document: HeldDocument & { readonly status: 'scanning' | 'available' };
  readonly content: DocumentContent;
  readonly stands: readonly Statement[];
};

/** The key of the citizen as it stands now; undefined where nothing may be stored for lack of one. */
async function keyFor(
  { citizenKeys, citizensHaveKeys }: DepositCall['ports'],
  citizenId: string,
): Promise<{ readonly key: Uint8Array; readonly stands?: Statement } | undefined> {
  const standing = await citizenKeys.standingKeyOf(citizenId);
  if (standing !== undefined || citizensHaveKeys) return standing;
  return { key: await citizenKeys.keyOf(citizenId) };
}

type Keeping = { readonly citizenKey: Uint8Array | undefined; readonly context: string };

/**
 * The answer that was given under the `Idempotency-Key`, or its refusal. Asked for nobody as for a citizen: that the key was
 * used for another deposit, told of citizens alone, would tell who is in the register.
 */
async function earlierOf({ repeat }: DepositCall, { input }: Wanted, { citizenKey, context }: Keeping) {
  let isLost = false;
  const earlier = await repeat?.earlier(input, async (kept) => {
    try {
      if (citizenKey !== undefined) return open(citizenKey, context, Buffer.from(kept, 'base64')).toString();
    } catch (fault) {
      if (!(fault instanceof SealBroken)) throw fault;
    }
    isLost = true;
    return 'null';
  });
  if (!isLost) return earlier;
  // Sealed under a key that went when the citizen was erased: who is a citizen anew has another.
  const detail = 'The deposit under this key was for a citizen who was erased since, and its answer with them.';
  return citizenKey === undefined ? undefined : { refusal: refuse('idempotency-key-reused', detail) };
}

const keyChanged = () => refuse('changed-meanwhile', 'The key of the citizen has just changed; repeat the request.');

/**
 * Refuses a deposit for nobody, behind its last byte: whoever sends bytes that are refused, or breaks off, must not learn by the
 * answer who is in the register. Whoever learns it of a citizen has made a deposit, which is on record.
 */
async function refuseUnknown(call: DepositCall, wanted: Wanted): Promise<Refused> {
  const arrived = await takeBytes(call, wanted);
  if ('refusal' in arrived) return arrived;
  await removeSealed(call.ports, arrived);
  return { refusal: refuse('citizen-not-found') };
}

/** Takes the bytes in, sealed under a key of their own. A refusal has left nothing. */
async function takeBytes(call: DepositCall, { terms, pieces }: Wanted) {
  const { bytes, ports, signal } = call;
  const id = call.mint('document');
  const dataKey = ports.random(keyBytes);
  const message = startMessage(dataKey, contentContext(id), ports.random(saltBytes));
  const destination = { blobs: ports.blobs, name: id, message };
  const arrived = await receiveDocument({ request: bytes, pieces, signal, limit: ports.limit }, destination, terms);
  return 'refusal' in arrived ? arrived : { id, dataKey, header: message.header, received: arrived.received };
}

/**
 * Takes the bytes in, and makes the row that owns them. A refusal has left nothing. The record is sealed under the citizen's
 * key only when the bytes are there, and `stands` refuses the row where that key has gone or changed by then: no document
 * outlives the key.
 */
async function storeBytes(call: DepositCall, wanted: Wanted, citizenKey: Uint8Array): Promise<Stored | Refused> {
  const { caller, now, ports } = call;
  const { citizenId, eraseAt, issuedAt, kind, media, retainUntil, retentionClass, title } = wanted.terms;
  const arrived = await takeBytes(call, wanted);
  if ('refusal' in arrived) return arrived;
  const { id, dataKey, header } = arrived;
  const standing = await keyFor(ports, citizenId).catch(async (fault: unknown) => {
    await removeSealed(ports, { id });
    throw fault;
  });
  if (standing === undefined || !timingSafeEqual(standing.key, citizenKey)) {
    await removeSealed(ports, { id });
    return { refusal: keyChanged() };
  }

  const { plainBytes: size, plainSha256: sha256, sealedBytes: sealedSize, sealedSha256 } = arrived.received;
  const known = { title, kind, mediaType: media.name, size, sealedSize, sha256, sealedSha256, issuedAt };
  const content = { ...known, dataKey, header };
  const head = { id, citizenId, issuer: caller.clientId, createdAt: now };
  const binding = { ...head, pseudonym: ports.citizenKeys.pseudonymOf(citizenId) };
  const sealedRecord = sealRecord(citizenKey, binding, content, ports.random);
  const kept = { ...head, retainUntil, retentionClass, eraseAt, held: false, sealedRecord };
  const scan = { verdict: 'not-scanned', at: now, engine: null, finding: null } as const;
  const document = ports.scans
    ? ({ ...kept, status: 'scanning', scan: null } as const)
    : ({ ...kept, status: 'available', scan } as const);
  return { document, content, stands: standing.stands === undefined ? [] : [standing.stands] };
}
