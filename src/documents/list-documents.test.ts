import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import {
  depositDocumentOf,
  issuer,
  makePdf,
  openDocumentApp,
  otherCitizenId,
  testCitizenId,
} from '../../test/support/document-app.ts';

type Page = { items: { id: string }[]; next: string | null };

for (const engine of engines) {
  test(`${engine.name}: the pages of a list contain each visible record once, and each page is recorded as an event`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push(await depositDocumentOf(app, makePdf(50)));
    await depositDocumentOf(app, makePdf(50), { 'citizen-id': otherCitizenId });
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const result = await app.list({ query: `citizenId=${testCitizenId}&limit=2${after}` });
      assert.ok('status' in result);
      const page = result.json as Page;
      seen.push(...page.items.map(({ id }) => id));
      if (page.next === null) break;
      after = `&cursor=${page.next}`;
    }
    assert.deepEqual(seen, ids.toReversed());
    const listed = (await app.eventsAbout(testCitizenId)).filter(({ type }) => type === 'document.listed');
    assert.deepEqual(
      listed.map(({ documents }) => documents),
      [seen.slice(0, 2), seen.slice(2, 4), seen.slice(4)],
    );
  });

  test(`${engine.name}: a document with several grants is listed once, with each active grant`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(50));
    const given = ['bank account', 'bank loan', 'court case'];
    for (const grant of given.toReversed()) {
      const [clientId, purpose] = grant.split(' ');
      await app.grant(id, { clientId, purpose });
    }
    const endsAt = new Date(app.time.now + 1_000).toISOString();
    await app.grant(id, { clientId: 'bank', purpose: 'past', endsAt });
    app.time.now += 1_000;
    const accessFor = async (client: string) => {
      const result = await app.list({ client, query: `citizenId=${testCitizenId}` });
      assert.ok('status' in result);
      const { items } = result.json as { items: { access: { clientId: string; purpose: string }[] }[] };
      return items.map(({ access }) => access.map(({ clientId, purpose }) => `${clientId} ${purpose}`));
    };
    assert.deepEqual(
      [await accessFor(issuer), await accessFor('bank'), await accessFor('court')],
      [[given], [given.slice(0, 2)], [given.slice(2)]],
    );
  });

  test(`${engine.name}: a damaged record is reported in a list, and does not hide the others`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const [first, second] = [await depositDocumentOf(app, makePdf(50)), await depositDocumentOf(app, makePdf(50))];
    await app.db.write([{ sql: 'update document set created_at = 1 where id = $1', args: [first] }]);
    const result = await app.list({ query: `citizenId=${testCitizenId}` });
    assert.ok('status' in result);
    const { items, ...rest } = result.json as Page;
    assert.deepEqual([items.map(({ id }) => id), rest], [[second], { unreadable: [first], next: null }]);
    assert.deepEqual(app.alarms, ['document-record-broken']);
  });

  test(`${engine.name}: the list of a client without access equals that of an unknown citizen, and both are recorded`, async (t) => {
    const app = await openDocumentApp(t, engine);
    await depositDocumentOf(app, makePdf(50));
    for (const id of [testCitizenId, 'CZ-9999', 'ż'.repeat(200)]) {
      const query = `citizenId=${encodeURIComponent(id)}`;
      const result = await app.list({ client: 'curious', query, headers: { purpose: 'gossip' } });
      assert.ok('status' in result);
      assert.deepEqual(result.json, { items: [], unreadable: [], next: null });
      const event = (await app.eventsAbout(id)).at(-1);
      assert.deepEqual(
        [event?.['type'], event?.['actor'], event?.['purpose'], event?.['documents']],
        ['document.listed', { client: 'curious' }, 'gossip', []],
      );
    }
  });

  test(`${engine.name}: a client lists its deposits for all citizens, and each of them can see this use`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const first = await depositDocumentOf(app, makePdf(50));
    app.time.now += 60_000;
    const second = await depositDocumentOf(app, makePdf(50), { 'citizen-id': otherCitizenId });
    const third = await depositDocumentOf(app, makePdf(50));
    await app.db.write([{ sql: "update document set status = 'quarantined' where id = $1", args: [second] }]);
    const idsOf = async (query: string, client = issuer) => {
      const result = await app.list({ client, query });
      assert.ok('status' in result);
      return (result.json as Page).items.map(({ id }) => id);
    };
    const from = new Date(app.time.now).toISOString();
    assert.deepEqual(
      {
        all: await idsOf(''),
        page: await idsOf(`limit=1&cursor=${third}`),
        quarantined: await idsOf('status=quarantined'),
        recent: await idsOf(`depositedFrom=${from}`),
        recentQuarantined: await idsOf(`depositedFrom=${from}&status=quarantined`),
        ofCitizen: await idsOf(`citizenId=${testCitizenId}&depositedFrom=${from}`),
        another: await idsOf('', 'curious'),
      },
      {
        all: [third, second, first],
        page: [second],
        quarantined: [second],
        recent: [third, second],
        recentQuarantined: [second],
        ofCitizen: [third],
        another: [],
      },
    );
    const seen = (await app.eventsAbout(otherCitizenId)).filter(({ type }) => type === 'document.listed');
    assert.deepEqual(
      seen.map(({ documents }) => documents),
      Array.from({ length: 5 }, () => [second]),
    );
    const all = (await app.eventsAbout(testCitizenId)).find(({ type }) => type === 'document.listed');
    assert.deepEqual(all?.['documents'], [third, first]);
  });
}
