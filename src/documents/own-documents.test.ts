import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import {
  depositDocumentOf,
  makePdf,
  openDocumentApp,
  otherCitizenId,
  testCitizenId,
} from '../../test/support/document-app.ts';
import { insertGrant } from './document-store.ts';
import { findOwnDocument } from './own-document.ts';

const mine = { client: `portal for ${testCitizenId}` };
const anothers = { client: `portal for ${otherCitizenId}` };

for (const engine of engines) {
  test(`${engine.name}: a citizen can read their own document, and the access log names the citizen as actor`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const bytes = makePdf(5_000);
    const id = await depositDocumentOf(app, bytes);
    const grant = { clientId: 'city', purpose: 'housing', endsAt: null };
    await app.db.write(insertGrant({ documentId: id, grantedAt: app.time.now, ...grant }));
    const read = await app.retrieve(id, mine);
    assert.ok('status' in read);
    // A receipt is for the client that caused it; the citizen has the access log.
    const link = `</v1/documents/${id}/record>; rel="describedby"; type="application/json"`;
    assert.deepEqual([read.status, read.bytes.equals(bytes), read.headers['link']], [200, true, link]);
    const shown = await app.readRecord(id, mine);
    assert.ok('status' in shown);
    assert.equal(shown.headers['link'], undefined);
    assert.deepEqual((shown.json as { access: unknown }).access, [grant]);
    const uses = (await app.eventsAbout(testCitizenId)).slice(1).map(({ type, actor }) => ({ type, actor }));
    const actor = { citizen: true };
    assert.deepEqual(uses, [
      { type: 'document.retrieved', actor },
      { type: 'document.record-read', actor },
    ]);
  });

  test(`${engine.name}: a refused retrieval by a citizen is recorded for the citizen, not for the portal`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const until = new Date(app.time.now + 86_400_000).toISOString();
    const id = await depositDocumentOf(app, makePdf(50), { 'document-retain-until': until });
    await app.withdraw(id);
    const refused = await app.retrieve(id, mine);
    assert.equal('refusal' in refused && refused.refusal.slug, 'document-withdrawn');
    const { type, actor, reason } = (await app.eventsAbout(testCitizenId)).at(-1) ?? {};
    assert.deepEqual([type, actor, reason], ['document.refused', { citizen: true }, 'not-available']);
  });

  test(`${engine.name}: a token of a citizen opens and lists nothing of another citizen, whatever its client may read`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(50));
    const grant = { clientId: 'portal', purpose: 'housing', grantedAt: app.time.now, endsAt: null };
    await app.db.write(insertGrant({ documentId: id, ...grant }));
    const refused = await app.retrieve(id, anothers);
    assert.equal('refusal' in refused && refused.refusal.slug, 'document-not-found');
    const listed = await app.list({ ...anothers, query: `citizenId=${testCitizenId}` });
    assert.equal('refusal' in listed && listed.refusal.slug, 'document-not-found');
    // The other citizen would take an entry for a use by an authority.
    assert.deepEqual((await app.eventsAbout(testCitizenId)).slice(1), []);
  });

  test(`${engine.name}: a client without citizen:self opens nothing when its token names a citizen`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(50));
    const grant = { clientId: 'city', purpose: 'housing', grantedAt: app.time.now, endsAt: null };
    await app.db.write(insertGrant({ documentId: id, ...grant }));
    const city = { client: `city for ${testCitizenId}` };
    const read = await app.retrieve(id, city);
    assert.equal('refusal' in read && read.refusal.slug, 'missing-scope');
    const listed = await app.list({ ...city, query: `citizenId=${testCitizenId}` });
    assert.equal('refusal' in listed && listed.refusal.slug, 'missing-scope');
    assert.deepEqual((await app.eventsAbout(testCitizenId)).slice(1), []);
  });

  test(`${engine.name}: the list of a citizen contains their documents from all issuers`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const ids = [await depositDocumentOf(app, makePdf(50)), await depositDocumentOf(app, makePdf(50))];
    await depositDocumentOf(app, makePdf(50), { 'citizen-id': otherCitizenId });
    const listed = await app.list({ ...mine, query: `citizenId=${testCitizenId}` });
    assert.ok('status' in listed);
    const { items: documents } = listed.json as { items: { id: string }[] };
    assert.deepEqual(documents.map((one) => one.id).sort(), ids);
    assert.equal(listed.headers['link'], undefined);
    assert.deepEqual((await app.eventsAbout(testCitizenId)).at(-1)?.['actor'], { citizen: true });
  });

  test(`${engine.name}: the access log of a citizen gets the title of a document, until it is erased, and of no other citizen`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(50), { 'document-title': 'Tax%20bill' });
    const find = async (citizenId: string, text: string = id) =>
      await findOwnDocument({ ...app.ports, read: app.db.read }, text, citizenId);
    const found = { type: 'document', id } as const;
    assert.deepEqual(await find(testCitizenId), { ...found, state: 'available', title: 'Tax bill' });
    assert.deepEqual(await find(otherCitizenId), { ...found, state: 'erased' });
    assert.deepEqual(await find(testCitizenId, 'doc_x'), { type: 'document', id: 'doc_x', state: 'erased' });
    await app.db.write([{ sql: "update document set status = 'quarantined' where id = $1", args: [id] }]);
    assert.deepEqual(await find(testCitizenId), { ...found, state: 'unavailable', title: 'Tax bill' });
    await app.db.write([{ sql: "update document set status = 'available' where id = $1", args: [id] }]);
    await app.withdraw(id);
    assert.deepEqual(await find(testCitizenId), { ...found, state: 'erased' });
  });
}
