import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { rootKeyFromBytes } from '../crypto/root-key.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { createIdGenerator } from '../kernel/id.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { createCitizenKeys } from '../ledger/citizen-keys.ts';
import { createCommitter } from '../ledger/commit.ts';
import { insertPresentationFeedEvent } from '../notifications/webhooks/feed-store.ts';
import { deleteOldPresentations, expirePresentations } from './expire-presentations.ts';
import { createResponseKey } from './formats/encrypted-response.ts';
import { ifOpen, type PresentationTerms, sessionLimits } from './protocol/presentation.ts';
import {
  endPresentation,
  findByHandle,
  findOwnPresentation,
  insertPresentation,
  markAnswered,
} from './protocol/presentation-store.ts';

async function createTerms(): Promise<PresentationTerms> {
  const request = { requestHandle: 'request', responseHandle: 'response', nonce: 'nonce', state: 'state' };
  return {
    kinds: ['pid'],
    claims: ['givenName'],
    purpose: 'permit',
    confirmation: 'code',
    profile: 'haip',
    pageHandle: 'page',
    requests: [{ device: 'other', ...request, responseKey: await createResponseKey() }],
  };
}

const root = rootKeyFromBytes(new Uint8Array(32).fill(3));

function createDeps(db: Database, clock: Clock) {
  const citizenKeys = createCitizenKeys(db.read, root, systemRandom, clock);
  const { commit } = createCommitter({ db, citizenKeys, random: systemRandom });
  const write = (unit: Parameters<typeof db.write>[0]) => db.write(unit);
  const createId = createIdGenerator(clock, systemRandom);
  return { read: db.read, write, commit, clock, createId, feedEvent: insertPresentationFeedEvent };
}

for (const engine of engines) {
  test(`${engine.name}: an open presentation expires with its event and loses its secrets, and is deleted 7 days later`, async (t) => {
    const db = await engine.open(t);
    let now = Date.UTC(2026, 5, 1);
    const deps = createDeps(db, { now: () => now });
    const { createId } = deps;
    const keys = { sealKey: root.derive('presentations'), random: systemRandom, read: db.read };
    const own = { id: createId('presentation'), clientId: 'permits', createdAt: now, terms: await createTerms() };
    await db.write(insertPresentation(keys, own));
    const checked = {
      kind: 'pid',
      claims: { givenName: 'Mary' },
      evidence: {
        credentialType: 'urn:eudi:pid:1',
        format: 'dc+sd-jwt',
        issuer: 'Issuer',
        certificateDigest: 'digest',
      },
    };
    const session = { by: 'citizen', code: '402817' } as const;
    await db.write([markAnswered(keys, own.id, { checked, session })]);
    now += sessionLimits.openMs - 1;
    await expirePresentations(deps);
    const answered = await findOwnPresentation(keys, own.id, 'permits');
    assert.equal(ifOpen(answered, now)?.pending?.session.code, '402817');
    now += 1;
    // Nobody can answer or complete it from this time on, even before the job ends it.
    assert.equal(ifOpen(answered, now), undefined);
    await expirePresentations(deps);
    const found = await findByHandle(keys, 'page', 'page');
    assert.deepEqual([found?.status, found?.terms, found?.pending], ['expired', undefined, undefined]);
    const rows = await db.read('select type from ledger_event');
    assert.deepEqual(rows, [{ type: 'identity.presentation-expired' }]);
    assert.deepEqual(await db.read('select client_id, type from feed_event'), [
      { client_id: 'permits', type: 'identity.presentation-expired' },
    ]);
    // A response that arrives at the same time is refused.
    const end = { from: ['answered'], to: 'completed', at: now } as const;
    await assert.rejects(db.write([endPresentation(own.id, end)]), { name: 'WriteRefused', kind: 'rows' });
    now += sessionLimits.keptMs;
    await deleteOldPresentations(deps);
    assert.ok((await findByHandle(keys, 'page', 'page')) !== undefined);
    now += 1;
    await deleteOldPresentations(deps);
    assert.deepEqual(await db.read('select tag from presentation_handle'), []);
    assert.deepEqual(await db.read('select id from presentation'), []);
  });

  test(`${engine.name}: one run ends all presentations whose time is over, also more than one batch`, async (t) => {
    const db = await engine.open(t);
    const now = Date.UTC(2026, 5, 1);
    const deps = createDeps(db, { now: () => now });
    const rows = Array.from({ length: 501 }, () => ({
      sql: `insert into presentation (id, client_id, status, created_at, expires_at, terms)
        values ($1, 'permits', 'requested', $2, $2, $3)`,
      args: [deps.createId('presentation'), now, new Uint8Array(1)],
    }));
    await db.write(rows);
    await expirePresentations(deps);
    assert.deepEqual(await db.read('select id from presentation where ended_at is null or terms is not null'), []);
    assert.equal((await db.read('select type from ledger_event')).length, 501);
  });

  test(`${engine.name}: one run deletes all presentations that ended long ago, also more than one batch`, async (t) => {
    const db = await engine.open(t);
    const clock = { now: () => Date.UTC(2026, 5, 1) };
    const ended = clock.now() - sessionLimits.keptMs - 1;
    const createId = createIdGenerator(clock, systemRandom);
    const rows = Array.from({ length: 501 }, () => ({
      sql: `insert into presentation (id, client_id, status, created_at, expires_at, ended_at)
        values ($1, 'permits', 'expired', $2, $2, $2)`,
      args: [createId('presentation'), ended],
    }));
    await db.write(rows);
    await deleteOldPresentations({ read: db.read, write: (unit) => db.write(unit), clock });
    assert.deepEqual(await db.read('select id from presentation'), []);
  });
}
