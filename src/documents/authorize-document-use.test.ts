import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { depositDocumentOf, makePdf, openDocumentApp } from '../../test/support/document-app.ts';

for (const engine of engines) {
  test(`${engine.name}: a client without access gets no receipt, and its ledger entry equals that for an unknown id`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(100));
    const before = (await app.db.read('select id from ledger_event')).length;
    for (const asked of [id, app.createId('document')]) {
      const refused = await app.retrieve(asked, { client: 'curious' });
      assert.ok('refusal' in refused && refused.refusal.slug === 'document-not-found');
    }
    // All that others see of an entry: its kind and its length. A receipt needs the client_id.
    const rows = await app.db.read('select citizen_tag, client_id, content from ledger_event order by id');
    const [known, unknown] = rows.slice(before).map(({ citizen_tag: tag, client_id: client, content }) => {
      return { ofPerson: tag !== null, client, bytes: content instanceof Uint8Array ? content.length : 0 };
    });
    assert.deepEqual(known, unknown);
    assert.deepEqual([known?.ofPerson, known?.client], [true, null]);
    const [event] = await app.eventsAbout('CZ-1001').then((events) => events.slice(-1));
    assert.deepEqual([event?.['type'], event?.['actor']], ['document.refused', { client: 'curious' }]);
  });

  test(`${engine.name}: a client with access gets a receipt of a refused retrieval`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(100));
    await app.withdraw(id);
    await app.retrieve(id);
    const rows = await app.db.read("select client_id from ledger_event where type = 'document.refused'");
    assert.deepEqual(rows, [{ client_id: 'tax-office' }]);
  });
}
