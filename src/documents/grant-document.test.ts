import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import {
  type DocumentApp,
  depositDocumentOf,
  makePdf,
  openDocumentApp,
  testCitizenId,
} from '../../test/support/document-app.ts';
import type { DocumentId } from '../kernel/id.ts';

async function slugOf(app: DocumentApp, id: DocumentId, client: string): Promise<string | number> {
  const got = await app.retrieve(id, { client });
  return 'refusal' in got ? got.refusal.slug : got.status;
}

for (const engine of engines) {
  test(`${engine.name}: a grant opens a document for its purpose until it expires or is ended`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(40_000));
    assert.equal(await slugOf(app, id, 'city'), 'document-not-found');
    const endsAt = new Date(app.time.now + 1_000).toISOString();
    const granted = await app.grant(id, { clientId: 'city', purpose: 'housing', endsAt });
    assert.ok('status' in granted && granted.status === 201);
    assert.equal(await slugOf(app, id, 'city'), 200);
    app.time.now += 1_000;
    assert.equal(await slugOf(app, id, 'city'), 'document-not-found');
    await app.grant(id, { clientId: 'city', purpose: 'housing' });
    const range = { client: 'city', headers: { range: 'bytes=0-9' } };
    assert.ok('status' in (await app.retrieve(id, range)));
    const ended = await app.endGrant(id, 'clientId=city&purpose=housing');
    assert.ok('status' in ended && ended.status === 200);
    const next = await app.retrieve(id, range);
    assert.ok('refusal' in next && next.refusal.slug === 'document-not-found');
    const twice = await app.endGrant(id, 'clientId=city&purpose=housing');
    assert.ok('refusal' in twice && twice.refusal.slug === 'conflict');
  });

  test(`${engine.name}: ending a grant ends no other document, client or purpose`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const [id, other] = [await depositDocumentOf(app, makePdf(100)), await depositDocumentOf(app, makePdf(100))];
    for (const [document, clientId, purpose] of [
      [id, 'city', 'housing'],
      [id, 'city', 'parking'],
      [id, 'bank', 'housing'],
      [other, 'city', 'housing'],
    ] as const)
      await app.grant(document, { clientId, purpose });
    assert.ok('status' in (await app.endGrant(id, 'clientId=city&purpose=housing')));
    const left = await app.db.read(
      'select document_id, client_id, purpose from document_grant order by document_id, client_id, purpose',
    );
    assert.deepEqual(
      left.map((row) => Object.values(row)),
      [
        [id, 'bank', 'housing'],
        [id, 'city', 'parking'],
        [other, 'city', 'housing'],
      ],
    );
    const [granted, ...others] = (await app.eventsAbout(testCitizenId)).filter(({ type }) =>
      /grant/.test(String(type)),
    );
    const ended = others.at(-1);
    assert.deepEqual(
      [granted, ended].map((event) => [event?.['type'], event?.['document'], event?.['to'], event?.['purpose']]),
      [
        ['document.granted', id, 'city', 'housing'],
        ['document.grant-ended', id, 'city', 'housing'],
      ],
    );
    assert.equal(others.length, 4);
  });

  test(`${engine.name}: a grant can be ended by its purpose in any Unicode normalisation`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(100));
    const purpose = 'aide au de\u0301me\u0301nagement ';
    assert.ok('status' in (await app.grant(id, { clientId: 'city', purpose })));
    const ended = await app.endGrant(id, `clientId=city&purpose=${encodeURIComponent(purpose)}`);
    assert.equal('refusal' in ended ? ended.refusal.slug : ended.status, 200);
    const read = await app.retrieve(id, { client: 'city' });
    assert.equal('refusal' in read && read.refusal.slug, 'document-not-found');
  });

  test(`${engine.name}: only the issuer can grant, end a grant and withdraw, and other clients get 404 and a ledger entry`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(100));
    const curious = { client: 'curious' };
    await app.grant(id, { clientId: 'curious', purpose: 'housing' });
    for (const result of [
      await app.grant(id, { clientId: 'curious', purpose: 'more' }, curious),
      await app.endGrant(id, 'clientId=curious&purpose=housing', curious),
      await app.withdraw(id, curious),
    ]) {
      assert.ok('refusal' in result && result.refusal.slug === 'document-not-found');
    }
    const refused = (await app.eventsAbout(testCitizenId)).filter(({ type }) => type === 'document.refused');
    assert.equal(refused.length, 3);
    const past = await app.grant(id, { clientId: 'city', purpose: 'p', endsAt: '2020-01-01T00:00:00Z' });
    assert.ok('refusal' in past && past.refusal.issues?.[0]?.pointer === '/endsAt');
    const lines = await app.grant(id, { clientId: 'city', purpose: 'one\nmore' });
    assert.ok('refusal' in lines && lines.refusal.issues?.[0]?.pointer === '/purpose');
  });

  test(`${engine.name}: a purpose that was not agreed with the client opens nothing and cannot be granted`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(100));
    const nobody = await app.grant(id, { clientId: 'nobody', purpose: 'housing' });
    assert.deepEqual('refusal' in nobody && nobody.refusal.issues, [
      {
        in: 'body',
        pointer: '/clientId',
        code: 'not-found',
        detail: 'must be the id of a client that is not disabled',
      },
    ]);
    const wrong = await app.grant(id, { clientId: 'strict', purpose: 'other' });
    assert.ok('refusal' in wrong && wrong.refusal.slug === 'purpose-not-permitted');
    await app.grant(id, { clientId: 'strict', purpose: 'agreed' });
    const stated = (purpose: string) => app.retrieve(id, { client: 'strict', headers: { purpose } });
    const other = await stated('other');
    assert.ok('refusal' in other && other.refusal.slug === 'purpose-not-permitted');
    assert.ok('status' in (await stated('agreed')));
  });

  test(`${engine.name}: an unknown id costs the same writes as the document of another client, and both are recorded`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(100));
    const units: number[] = [];
    const write = app.wires.write;
    app.wires.write = async (unit) => {
      units.push(unit.length);
      return await write(unit);
    };
    const unknown = app.createId('document');
    const answers = [await slugOf(app, id, 'curious'), await slugOf(app, unknown, 'curious')];
    assert.deepEqual(
      [answers, units],
      [
        ['document-not-found', 'document-not-found'],
        [1, 1],
      ],
    );
    const [event, ...others] = await app.eventsAbout(`nobody:${unknown}`);
    assert.deepEqual([event?.['type'], event?.['actor'], others], ['document.unknown', { client: 'curious' }, []]);
  });

  test(`${engine.name}: a document has at most a hundred grants, not counting expired ones`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(100));
    const grant = async (purpose: string, more: { readonly endsAt?: string } = {}) => {
      const answer = await app.grant(id, { clientId: 'city', purpose, ...more });
      return 'refusal' in answer ? answer.refusal.slug : answer.status;
    };
    const endsAt = new Date(app.time.now + 1_000).toISOString();
    for (let at = 0; at < 99; at += 1) assert.equal(await grant(`purpose ${at}`), 201);
    assert.deepEqual([await grant('short', { endsAt }), await grant('another')], [201, 'conflict']);
    assert.equal(await grant('purpose 7', { endsAt }), 201);
    app.time.now += 1_000;
    assert.deepEqual([await grant('another'), await grant('one more'), await grant('third')], [201, 201, 'conflict']);
    const [row] = await app.db.read('select count(*) as grants from document_grant');
    assert.equal(row?.['grants'], 100);
  });
}
