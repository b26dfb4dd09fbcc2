import assert from 'node:assert/strict';
import { test } from 'node:test';
import { citizen, deposited, openDocumentHouse, pdfOf } from '../../test/document-house.ts';
import { engines } from '../../test/engines.ts';

for (const engine of engines) {
  test(`${engine.name}: a document is withdrawn under If-Match only where its ETag is named, and else left as it was`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const id = await deposited(house, pdfOf(2_000));
    const head = await house.retrieve(id, { method: 'HEAD' });
    assert.ok(!('refusal' in head));
    const { etag = '' } = head.headers;
    const withdraw = async (condition: string) => {
      const got = await house.withdraw(id, { headers: { 'if-match': condition } });
      return 'refusal' in got ? got.refusal.slug : got.status;
    };
    assert.deepEqual(
      [await withdraw('"other"'), await withdraw(`W/${etag}`)],
      ['precondition-failed', 'precondition-failed'],
    );
    const still = await house.retrieve(id, { method: 'HEAD' });
    assert.ok(!('refusal' in still));
    assert.deepEqual([still.status, still.headers['etag']], [200, etag]);
    assert.equal(await withdraw(`"other", ${etag}`), 200);
    assert.deepEqual((await house.eventsAbout(citizen)).map(({ type }) => type).slice(-4), [
      ...['document.record-read', 'document.record-read', 'document.record-read', 'document.erased'],
    ]);
  });

  test(`${engine.name}: a document whose record is broken is withdrawn as any other, but has no ETag that could be named`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const id = await deposited(house, pdfOf(50));
    const head = await house.retrieve(id, { method: 'HEAD' });
    assert.ok(!('refusal' in head));
    const { etag = '' } = head.headers;
    await house.db.write([{ sql: 'update document set created_at = 1 where id = $1', args: [id] }]);
    const named = await house.withdraw(id, { headers: { 'if-match': etag } });
    assert.equal('refusal' in named && named.refusal.slug, 'precondition-failed');
    assert.deepEqual(house.alarms, ['document-record-broken']);
    const any = await house.withdraw(id, { headers: { 'if-match': '*' } });
    assert.equal('status' in any && any.status, 200);
  });
}
