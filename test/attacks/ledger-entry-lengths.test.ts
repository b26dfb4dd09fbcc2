import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { runCommandLine } from '../../src/cli/command.ts';
import { ledgerVerifyCommand } from '../../src/cli/ledger-verify.ts';
import { SealBroken, seal } from '../../src/crypto/chunked-encryption.ts';
import { claimNames } from '../../src/identity/register/claims.ts';
import { createIdGenerator } from '../../src/kernel/id.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import {
  deriveContentKey,
  encodeEventContent,
  maxContentBytes,
  openEventContent,
  paddedContentLengths,
  sealEventContent,
} from '../../src/ledger/event-content.ts';
import { encodeEntry } from '../../src/ledger/ledger-entry.ts';
import type { LedgerEvent } from '../../src/ledger/ledger-event.ts';
import { encodeReceiptExtra } from '../../src/ledger/receipt-extra.ts';
import { formatCheckpoint } from '../../src/ledger/tlog/checkpoint.ts';
import { leafHash } from '../../src/ledger/tlog/merkle.ts';
import { signNote } from '../../src/ledger/tlog/note.ts';
import { encodeBundle, parseBundle } from '../../src/ledger/tlog/tile.ts';
import { formatProof } from '../../src/ledger/tlog/tlog-proof.ts';
import { logSigner } from '../support/ledger-app.ts';
import { makeTestFolder } from '../support/test-folder.ts';

// Attack: the entries of the log are public. If the length of an entry showed its type, anybody could count the uses of each kind.

const at = Date.UTC(2026, 0, 1);
const createId = createIdGenerator({ now: () => at }, systemRandom);
const key = Buffer.alloc(32, 7);
const digest = 'a'.repeat(64);
const basis = {
  purpose: 'Housing benefit: check of the applicant and the household',
  legalBasis: 'Wohngeldgesetz § 23, Absatz 1, Satz 2',
  consentReference: 'CASE-2026-000000000077',
};
const outcome = {
  verification: createId('verification'),
  decision: 'not_determined',
  policy: 'calibrated-2026-1',
  claimsAsked: claimNames,
};
const document = { document: createId('document') };
const notification = { notification: createId('notification') };
const client = { clientId: 'housing-benefit-of-the-capital-abcdefgh' };
const rule = { rule: 'retention-class', retentionClass: 'tax-assessment-notices', sealedDigest: `sha-256=:${digest}:` };

/** Usual members of each type of event about a citizen. */
const citizenEvents: Partial<Record<LedgerEvent['type'], object>> = {
  'identity.verified': { ...basis, ...outcome, wallet: 'other' },
  'wallet-link.kept': {},
  'identity.guesses-spent': { verification: createId('verification') },
  'identity.verification-read': { verification: createId('verification') },
  'identity.lock-changed': { locked: true },
  'own-lock.set': {},
  'own-lock.lifted': { reason: 'At the counter of the citizen office, with an identity card' },
  'identity.record-read': {},
  'notification.rehearsed': {},
  'notification.accepted': { ...notification, ...basis, contentDigest: `sha-256:${digest}` },
  'notification.status-read': notification,
  'notification.opened': notification,
  'notification.confirmed': { ...notification, channel: 'email' },
  'inbox.listed': { shown: 100 },
  'inbox.searched': { shown: 100 },
  'inbox.exported': { shown: 50 },
  'inbox.archived': notification,
  'inbox.restored': notification,
  'inbox.marked-unread': notification,
  'contact-wishes.stated': {},
  'contact-address.confirmed': { channel: 'email' },
  'notification.cancelled': notification,
  'notification.undeliverable': { ...notification, reason: 'citizen-unknown' },
  'notification.delivery-ended': { ...notification, delivery: createId('delivery'), channel: 'email', outcome: 'sent' },
  'document.deposited': { ...document, ...basis, digest: `sha-256=:${digest}:` },
  'document.retrieved': { ...document, ...basis },
  'document.listed': { ...basis, documents: [1, 2, 3, 4].map(() => createId('document')) },
  'document.refused': { ...document, reason: 'not-permitted' },
  'document.unknown': { ...document, reason: 'not-permitted' },
  'document.scanned': { ...document, verdict: 'infected', engine: 'ClamAV 1.4.3/27812', finding: 'Eicar-Signature' },
  'document.withdrawn': document,
  'document.erased': { ...document, ...rule },
  'document.granted': { ...document, to: client.clientId, purpose: basis.purpose, endsAt: '2027-01-01T00:00:00.000Z' },
  'document.hold-placed': { hold: createId('hold'), ...document, reason: 'Administrative Court, 7 K 123/26' },
  'access-log.read': { after: 1_000_000, shown: 100 },
};

/** Usual members of each type of event about no single citizen. */
const systemEvents: Partial<Record<LedgerEvent['type'], object>> = {
  'identity.searched': outcome,
  'identity.search-read': { verification: createId('verification') },
  'register.imported': { import: createId('import'), rows: 10_000_000, refused: 1_000, finished: true },
  'register.counted': { persons: 10_000_000 },
  'policy.added': { name: 'town-2026-1', digest },
  'notifications.listed': { shown: 100 },
  'client.created': {
    ...client,
    scopes: ['documents:read', 'documents:write', 'identity:verify', 'notifications:send'],
  },
  'client.changed': { ...client, changed: ['name', 'purposes', 'quota'] },
  'client.webhook-hosts-set': { ...client, hosts: ['hooks.example.org', 'hooks.example.net'] },
  'retention-class.set': { name: 'tax', keepDays: 3_650, eraseAfterDays: 30, legalBasis: basis.legalBasis },
  'documents.deletion-run': { erased: 10_000, held: 12, failed: 0, list: digest },
  'signing-key.replaced': { use: 'checkpoint', kid: digest, atOnce: false },
  'root-key.rotated': { from: 'a'.repeat(16), to: 'b'.repeat(16), stage: 'begun', citizenKeys: 1, signingKeys: 1 },
  'citizen.erased': { chain: 'a'.repeat(32), entries: 1_000 },
  'webhook.changed': { webhook: createId('webhook'), change: 'created' },
  'template.changed': { template: createId('template'), change: 'created' },
  'endpoint.registered': { endpoint: 'POST /v1/notifications/{id}/cancel', since: '1.0', schemaHash: 'a'.repeat(44) },
};

/** The length of the published entry of an event. */
function entryLengthOf(event: LedgerEvent): number {
  const clear = encodeEventContent(event);
  const content = sealEventContent(key, event.id, clear, systemRandom);
  const entry = encodeEntry({ kind: 'citizen', at, id: event.id, link: Buffer.alloc(32), content });
  assert.deepEqual(parseBundle(encodeBundle([entry]))?.length, 1);
  const opened = openEventContent(deriveContentKey(key, event.id), event.id, content);
  assert.deepEqual(opened, JSON.parse(Buffer.from(clear).toString()));
  return entry.length;
}

function eventOf(type: string, members: object): LedgerEvent {
  const head = { type, id: createId('event'), at, actor: { client: client.clientId } };
  // The members of each type are above.
  return { ...head, ...members } as LedgerEvent;
}

test('the ledger entries of usual events of every type have the same length', () => {
  const lengths = new Map<number, string[]>();
  for (const [events, about] of [
    [citizenEvents, { citizenId: 'g-1950' }],
    [systemEvents, {}],
  ] as const) {
    for (const [type, members] of Object.entries(events)) {
      const length = entryLengthOf(eventOf(type, { ...members, ...about }));
      lengths.set(length, [...(lengths.get(length) ?? []), type]);
    }
  }
  assert.equal(lengths.size, 1, JSON.stringify(Object.fromEntries(lengths)));
});

test('each ledger entry has one of a few lengths, and the longest content fits into a bundle', () => {
  const lengths = new Set<number>();
  for (let shown = 0; shown < 980; shown += 7) {
    const documents = Array.from({ length: shown }, () => 'x'.repeat(30));
    lengths.add(entryLengthOf(eventOf('document.listed', { citizenId: 'ü'.repeat(100), documents })));
  }
  const rest = Buffer.byteLength(encodeEventContent(eventOf('policy.added', { name: '', digest: '' })));
  lengths.add(entryLengthOf(eventOf('policy.added', { name: '', digest: 'a'.repeat(maxContentBytes - rest) })));
  assert.equal(lengths.size, paddedContentLengths.length);
});

// Attack: somebody who changes the server or has its keys seals an entry with another padding, which shows its type or hides data. The
// tree and the signature of such an entry are right, so that only the format can show it.

const padTo = (text: string, length: number, filler = ' ') => text + filler.repeat(length - Buffer.byteLength(text));
const [shortest] = paddedContentLengths;
const good = '{"at":"2026-01-01T00:00:00.000Z","type":"own-lock.set"}';

const notUtf8 = Buffer.alloc(shortest, ' ');
notUtf8.set(Buffer.from(good.replace('own', '\u00e9wn'), 'latin1'));

/** Contents that are not canonical JSON followed by the spaces of this log. */
const forgedContents: Readonly<Record<string, string | Buffer>> = {
  'no padding': good,
  'one space too few': padTo(good, shortest - 1),
  'one space too many': padTo(good, shortest + 1),
  'tabs as padding': padTo(good, shortest, '\t'),
  'a line break in the padding': `${padTo(good, shortest - 1)}\n`,
  'padding before the content': good.padStart(shortest),
  'spaces within the content': padTo(good.replace(',', ', '), shortest),
  'members in another order': padTo('{"type":"own-lock.set","at":"2026-01-01T00:00:00.000Z"}', shortest),
  'a member twice': padTo('{"at":"x","at":"2026-01-01T00:00:00.000Z"}', shortest),
  'an escaped letter': padTo(good.replace('own', '\\u006fwn'), shortest),
  'a lone surrogate': padTo('{"at":"\\ud800"}', shortest),
  'a list': padTo('["own-lock.set"]', shortest),
  'no JSON': padTo('own-lock.set', shortest),
  'spaces only': ' '.repeat(shortest),
  'a byte that is not UTF-8': notUtf8,
  'the padding of a much longer content': padTo(good, paddedContentLengths[1]),
};

/** Writes a log with this one entry, signed by the key of the log, and its receipt. */
function signLogOf(sealed: Uint8Array, contentKey: Uint8Array | undefined) {
  const id = forgedId;
  const entry = encodeEntry({ kind: 'citizen', at, id, link: Buffer.alloc(32), content: sealed });
  const [folder, root] = [makeTestFolder('forged-log-'), leafHash(entry)];
  const checkpoint = signNote(formatCheckpoint({ origin: logSigner.name, size: 1, root }), [logSigner], at);
  for (const [path, bytes] of [
    ['tile/entries/000.p/1', encodeBundle([entry])],
    ['tile/0/000.p/1', root],
    ['checkpoint', checkpoint],
  ] as const) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  const proof = { extra: encodeReceiptExtra({ entry, contentKey }), index: 0, hashes: [], checkpoint };
  writeFileSync(join(folder, 'receipt.tlog-proof'), formatProof(proof));
  return async (place: string) => {
    const said: string[] = [];
    const write = (text: string) => void said.push(text);
    const terminal = { stdout: write, stderr: write, isInteractive: false, cwd: folder };
    const args = ['ledger', 'verify', place, '--key', logSigner.vkey];
    return [await runCommandLine(args, [ledgerVerifyCommand(terminal, fetch)], terminal), said.join('')] as const;
  };
}

const forgedId = createId('event');
const forgedKey = deriveContentKey(key, forgedId);
const sealForged = (content: string | Buffer) => {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return seal(forgedKey, `citizen-services/ledger-event@v1\0${forgedId}`, bytes, systemRandom);
};

test('ledger verify accepts a signed entry with the padding of this log', async () => {
  const verify = signLogOf(sealForged(padTo(good, shortest)), forgedKey);
  for (const place of ['.', 'receipt.tlog-proof']) assert.deepEqual((await verify(place))[0], 0, place);
});

for (const [what, content] of Object.entries(forgedContents)) {
  test(`a signed entry whose content has ${what} is refused`, async () => {
    assert.throws(() => openEventContent(forgedKey, forgedId, sealForged(content)), SealBroken);
    const verify = signLogOf(sealForged(content), forgedKey);
    const [code, said] = await verify('receipt.tlog-proof');
    assert.equal(code, 1, said);
    assert.match(
      said,
      /NOT verified: (the entry in the receipt does not have the format|the key in the receipt does not decrypt the entry)/,
    );
    // Without the key, the whole log shows the wrong lengths.
    const isPadded = paddedContentLengths.some((length) => length === Buffer.byteLength(content));
    assert.equal((await verify('.'))[0], isPadded ? 0 : 1);
  });
}

test('a truncated or lengthened entry is refused in a log and in a sealed receipt', async () => {
  const whole = sealForged(padTo(good, shortest));
  for (const sealed of [whole.subarray(0, -1), Buffer.concat([whole, Buffer.alloc(1)]), whole.subarray(0, 0)]) {
    const verify = signLogOf(sealed, undefined);
    for (const place of ['.', 'receipt.tlog-proof']) {
      const [code, said] = await verify(place);
      assert.equal(code, 1, said);
      assert.match(said, /does not have the format and one of the lengths of this ledger/);
    }
  }
});
