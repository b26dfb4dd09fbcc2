import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import {
  type DocumentResult,
  depositDocumentOf,
  issuer,
  makePdf,
  openDocumentApp,
  testCitizenId,
} from '../../test/support/document-app.ts';
import { insertGrant } from './document-store.ts';

/** The answer of a request that was not refused. */
function given(result: DocumentResult) {
  assert.ok('status' in result, 'refusal' in result ? result.refusal.slug : '');
  return { ...result, json: result.json as Record<string, unknown> };
}

const slugOf = (result: DocumentResult) => ('refusal' in result ? result.refusal.slug : result.status);

for (const engine of engines) {
  test(`${engine.name}: a record contains the grants that its reader may see, and each read is recorded`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(100));
    const grant = { documentId: id, purpose: 'housing', grantedAt: app.time.now };
    await app.db.write(insertGrant({ ...grant, clientId: 'city', endsAt: app.time.now + 1_000 }));
    await app.db.write(insertGrant({ ...grant, clientId: 'county', endsAt: null }));
    const mine = given(await app.readRecord(id));
    const city = { clientId: 'city', purpose: 'housing', endsAt: '2026-06-01T12:00:01.000Z' };
    const county = { clientId: 'county', purpose: 'housing', endsAt: null };
    assert.deepEqual([mine.status, mine.json['access']], [200, [city, county]]);
    const { link = '', ...headers } = mine.headers;
    assert.match(link, /^<\/v1\/receipts\/evt_\w{26}>; rel="receipt"$/);
    assert.deepEqual(headers, {
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
      vary: 'accept, authorization',
    });
    const theirs = given(await app.readRecord(id, { client: 'city' }));
    assert.deepEqual(theirs.json, { ...mine.json, access: [city] });
    assert.equal(
      slugOf(await app.readRecord(id, { client: 'city', headers: { purpose: 'gossip' } })),
      'document-not-found',
    );
    assert.equal(
      slugOf(await app.readRecord(id, { client: 'strict', headers: { purpose: 'x' } })),
      'purpose-not-permitted',
    );
    assert.equal(slugOf(await app.readRecord(id, { client: 'curious' })), 'document-not-found');
    const uses = (await app.eventsAbout(testCitizenId)).slice(1).map(({ type, actor, purpose, reason }) => {
      return [type, (actor as { client: string }).client, purpose ?? reason];
    });
    assert.deepEqual(uses, [
      ['document.record-read', issuer, undefined],
      ['document.record-read', 'city', 'housing'],
      ['document.refused', 'city', 'not-permitted'],
      ['document.refused', 'curious', 'not-permitted'],
    ]);
  });

  test(`${engine.name}: the record of a document that cannot be retrieved shows its status, until it is erased`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(100));
    const become = (status: string, more = '') =>
      app.db.write([{ sql: `update document set status = '${status}'${more} where id = $1`, args: [id] }]);
    for (const status of ['scanning', 'quarantined', 'withdrawn']) {
      await become(status, ', withdrawn_at = 5');
      assert.equal(given(await app.readRecord(id)).json['status'], status);
    }
    await become('erased', ", sealed_record = null, erased_at = 5, erasure_event = 'evt_1'");
    const erased = await app.readRecord(id);
    assert.ok('refusal' in erased);
    assert.deepEqual(
      [erased.refusal.slug, erased.refusal.members],
      ['document-erased', { proof: '/v1/receipts/evt_1' }],
    );
    const [last] = (await app.eventsAbout(testCitizenId)).slice(-1);
    assert.deepEqual([last?.['type'], last?.['reason']], ['document.refused', 'not-available']);
  });
}
