import assert from 'node:assert/strict';
import { test } from 'node:test';
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
import { encodeBundle, parseBundle } from '../../src/ledger/tlog/tile.ts';

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
  'identity.verified': { ...basis, ...outcome },
  'identity.guesses-spent': { verification: createId('verification') },
  'identity.verification-read': { verification: createId('verification') },
  'identity.lock-changed': { locked: true },
  'own-lock.set': {},
  'own-lock.lifted': { reason: 'At the desk of the citizen office, with an identity card' },
  'identity.record-read': {},
  'notification.rehearsed': {},
  'notification.accepted': { ...notification, ...basis, contentDigest: `sha-256:${digest}` },
  'notification.status-read': notification,
  'notification.opened': { ...notification, channel: 'email' },
  'inbox.listed': { shown: 100 },
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

test('usual events of every type have entries of one length', () => {
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

test('entries have one of a few lengths, and the longest content fits into a bundle', () => {
  const lengths = new Set<number>();
  for (let shown = 0; shown < 980; shown += 7) {
    const documents = Array.from({ length: shown }, () => 'x'.repeat(30));
    lengths.add(entryLengthOf(eventOf('document.listed', { citizenId: 'ü'.repeat(100), documents })));
  }
  const rest = Buffer.byteLength(encodeEventContent(eventOf('policy.added', { name: '', digest: '' })));
  lengths.add(entryLengthOf(eventOf('policy.added', { name: '', digest: 'a'.repeat(maxContentBytes - rest) })));
  assert.equal(lengths.size, paddedContentLengths.length);
});
