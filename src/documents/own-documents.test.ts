import assert from 'node:assert/strict';
import { test } from 'node:test';
import { citizen, deposited, openDocumentHouse, otherCitizen, pdfOf } from '../../test/document-house.ts';
import { engines } from '../../test/engines.ts';
import { insertGrant } from './document-store.ts';

const mine = { client: `portal for ${citizen}` };
const anothers = { client: `portal for ${otherCitizen}` };
const record = { headers: { accept: 'application/json' } };

for (const engine of engines) {
  test(`${engine.name}: a citizen reads the own document, and the log says that the citizen did`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const bytes = pdfOf(5_000);
    const id = await deposited(house, bytes);
    const grant = { clientId: 'city', purpose: 'housing', endsAt: null };
    await house.db.write(insertGrant({ documentId: id, grantedAt: house.time.now, ...grant }));
    const read = await house.retrieve(id, mine);
    assert.ok('status' in read);
    // A receipt is for the client that caused it; the citizen has the access log.
    const link = `</v1/documents/${id}>; rel="describedby"; type="application/json"`;
    assert.deepEqual([read.status, read.bytes.equals(bytes), read.headers['link']], [200, true, link]);
    const shown = await house.retrieve(id, { ...mine, ...record });
    assert.ok('status' in shown);
    assert.deepEqual((shown.json as { access: unknown }).access, [grant]);
    const uses = (await house.eventsAbout(citizen)).slice(1).map(({ type, actor }) => ({ type, actor }));
    const actor = { citizen: true };
    assert.deepEqual(uses, [
      { type: 'document.retrieved', actor },
      { type: 'document.record-read', actor },
    ]);
  });

  test(`${engine.name}: a citizen who is refused the own document has asked, not the portal`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const until = new Date(house.time.now + 86_400_000).toISOString();
    const id = await deposited(house, pdfOf(50), { 'document-retain-until': until });
    await house.withdraw(id);
    const refused = await house.retrieve(id, mine);
    assert.equal('refusal' in refused && refused.refusal.slug, 'document-withdrawn');
    const { type, actor, reason } = (await house.eventsAbout(citizen)).at(-1) ?? {};
    assert.deepEqual([type, actor, reason], ['document.refused', { citizen: true }, 'not-available']);
  });

  test(`${engine.name}: a token that names a citizen opens and lists nothing of another, whatever its client may`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const id = await deposited(house, pdfOf(50));
    const grant = { clientId: 'portal', purpose: 'housing', grantedAt: house.time.now, endsAt: null };
    await house.db.write(insertGrant({ documentId: id, ...grant }));
    const refused = await house.retrieve(id, anothers);
    assert.equal('refusal' in refused && refused.refusal.slug, 'document-not-found');
    const listed = await house.list({ ...anothers, query: `citizenId=${citizen}` });
    assert.deepEqual('json' in listed && listed.json, { documents: [], unreadable: [], next: null });
    const tried = (await house.eventsAbout(citizen)).slice(1).map(({ type, actor }) => ({ type, actor }));
    const actor = { client: 'portal' };
    assert.deepEqual(tried, [
      { type: 'document.refused', actor },
      { type: 'document.listed', actor },
    ]);
  });

  test(`${engine.name}: a client that may not act for citizens keeps to its grants while one is there`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const [granted, other] = [await deposited(house, pdfOf(50)), await deposited(house, pdfOf(50))];
    const grant = { clientId: 'city', purpose: 'housing', grantedAt: house.time.now, endsAt: null };
    await house.db.write(insertGrant({ documentId: granted, ...grant }));
    const city = { client: `city for ${citizen}` };
    const read = await house.retrieve(granted, city);
    assert.equal('refusal' in read ? read.refusal.slug : read.status, 200);
    const refused = await house.retrieve(other, city);
    assert.equal('refusal' in refused && refused.refusal.slug, 'document-not-found');
    const listed = await house.list({ ...city, query: `citizenId=${citizen}` });
    assert.ok('status' in listed);
    assert.deepEqual(
      (listed.json as { documents: { id: string }[] }).documents.map((one) => one.id),
      [granted],
    );
    const actors = (await house.eventsAbout(citizen)).slice(2).map(({ actor }) => actor);
    assert.deepEqual(actors, Array(3).fill({ client: 'city' }));
  });

  test(`${engine.name}: a citizen lists the own documents, whoever deposited them`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const ids = [await deposited(house, pdfOf(50)), await deposited(house, pdfOf(50))];
    await deposited(house, pdfOf(50), { 'citizen-id': otherCitizen });
    const listed = await house.list({ ...mine, query: `citizenId=${citizen}` });
    assert.ok('status' in listed);
    const { documents } = listed.json as { documents: { id: string }[] };
    assert.deepEqual(documents.map((one) => one.id).sort(), ids);
    assert.equal(listed.headers['link'], undefined);
    assert.deepEqual((await house.eventsAbout(citizen)).at(-1)?.['actor'], { citizen: true });
  });
}
