import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { depositDocumentOf, makePdf, openDocumentApp, testCitizenId } from '../../test/support/document-app.ts';

for (const engine of engines) {
  test(`${engine.name}: a withdrawal with If-Match changes nothing unless it has the ETag of the document`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(2_000));
    const head = await app.retrieve(id, { method: 'HEAD' });
    assert.ok(!('refusal' in head));
    const { etag = '' } = head.headers;
    const withdraw = async (condition: string) => {
      const got = await app.withdraw(id, { headers: { 'if-match': condition } });
      return 'refusal' in got ? got.refusal.slug : got.status;
    };
    assert.deepEqual(
      [await withdraw('"other"'), await withdraw(`W/${etag}`)],
      ['precondition-failed', 'precondition-failed'],
    );
    const still = await app.retrieve(id, { method: 'HEAD' });
    assert.ok(!('refusal' in still));
    assert.deepEqual([still.status, still.headers['etag']], [200, etag]);
    assert.equal(await withdraw(`"other", ${etag}`), 200);
    assert.deepEqual((await app.eventsAbout(testCitizenId)).map(({ type }) => type).slice(-4), [
      ...['document.record-read', 'document.record-read', 'document.record-read', 'document.erased'],
    ]);
  });

  test(`${engine.name}: a document with a damaged record can be withdrawn, and matches no ETag`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(50));
    const head = await app.retrieve(id, { method: 'HEAD' });
    assert.ok(!('refusal' in head));
    const { etag = '' } = head.headers;
    await app.db.write([{ sql: 'update document set created_at = 1 where id = $1', args: [id] }]);
    const named = await app.withdraw(id, { headers: { 'if-match': etag } });
    assert.equal('refusal' in named && named.refusal.slug, 'precondition-failed');
    assert.deepEqual(app.alarms, ['document-record-broken']);
    const any = await app.withdraw(id, { headers: { 'if-match': '*' } });
    assert.equal('status' in any && any.status, 200);
  });
}
