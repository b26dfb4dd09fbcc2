import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { WriteRefused } from '../db/database.ts';
import { createIdGenerator } from '../kernel/id.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import type { DocumentGrant, DocumentReader } from './document.ts';
import { blobOwnersOf, findDocument, insertDocument, insertGrant, listVisibleDocuments } from './document-store.ts';

const createId = createIdGenerator({ now: () => 1_000 }, systemRandom);

function documentFor(citizenId: string, issuer: string) {
  const sealedRecord = systemRandom(40);
  const id = createId('document');
  const scan = { verdict: 'not-scanned', at: 1_000, engine: null, finding: null } as const;
  const retention = { retainUntil: null, retentionClass: null, eraseAt: null, held: false };
  return { id, citizenId, issuer, createdAt: 1_000, ...retention, scan, status: 'available', sealedRecord } as const;
}

const grantOn = (documentId: DocumentGrant['documentId'], clientId: string, endsAt: number | null): DocumentGrant => ({
  documentId,
  clientId,
  purpose: 'housing',
  grantedAt: 900,
  endsAt,
});

for (const engine of engines) {
  test(`${engine.name}: a stored document is found unchanged, with all its grants`, async (t) => {
    const db = await engine.open(t);
    const document = { ...documentFor('CZ-1', 'tax'), retainUntil: 9_007_199_254_740_991 };
    const grants = [grantOn(document.id, 'city', 2_000), grantOn(document.id, 'county', null)];
    await db.write([insertDocument(document), ...grants.flatMap(insertGrant)]);
    const found = await findDocument(db.read, document.id);
    assert.ok(found !== undefined && 'sealedRecord' in found.document);
    assert.deepEqual(
      { ...found, document: { ...found.document, sealedRecord: Uint8Array.from(found.document.sealedRecord) } },
      { document, grants },
    );
    assert.equal(await findDocument(db.read, createId('document')), undefined);
  });

  test(`${engine.name}: a repeated grant has the new end date, and a grant on an unknown document is refused`, async (t) => {
    const db = await engine.open(t);
    const document = documentFor('CZ-1', 'tax');
    await db.write([insertDocument(document), ...insertGrant(grantOn(document.id, 'city', 2_000))]);
    await db.write(insertGrant(grantOn(document.id, 'city', 3_000)));
    assert.deepEqual((await findDocument(db.read, document.id))?.grants, [grantOn(document.id, 'city', 3_000)]);
    await assert.rejects(
      db.write(insertGrant(grantOn(createId('document'), 'city', null))),
      (fault) => fault instanceof WriteRefused && fault.kind === 'foreign_key',
    );
  });

  test(`${engine.name}: a row without the columns of its status is refused`, async (t) => {
    const db = await engine.open(t);
    const { id } = documentFor('CZ-1', 'tax');
    const insert = (status: string, more: string, values: string) =>
      db.write([
        {
          sql: `insert into document (id, citizen_id, issuer, status, created_at${more}) values ($1, 'CZ-1', 'tax', '${status}', 1${values})`,
          args: [id],
        },
      ]);
    for (const [status, more, values] of [
      ['available', '', ''],
      ['quarantined', '', ''],
      ['erased', '', ''],
      ['withdrawn', '', ''],
      ['lost', '', ''],
      ['erased', ', erased_at', ', 5'],
    ] as const) {
      await assert.rejects(insert(status, more, values), { name: 'WriteRefused', kind: 'check' }, status);
    }
    await insert('erased', ', erased_at, erasure_event', ", 5, 'evt_1'");
    assert.deepEqual((await findDocument(db.read, id))?.document, {
      id,
      citizenId: 'CZ-1',
      issuer: 'tax',
      createdAt: 1,
      retainUntil: null,
      retentionClass: null,
      eraseAt: null,
      held: false,
      scan: null,
      status: 'erased',
      erasedAt: 5,
      proof: 'evt_1',
    });
    assert.deepEqual([...(await blobOwnersOf(db.read, ['doc_none', id]))], [[id, 'erased']]);
  });

  test(`${engine.name}: the list of a client contains its own and its granted documents of the citizen, newest first`, async (t) => {
    const db = await engine.open(t);
    const own = Array.from({ length: 5 }, () => documentFor('CZ-1', 'city'));
    const [granted, ended, foreign] = [1, 2, 3].map(() => documentFor('CZ-1', 'tax'));
    const other = documentFor('CZ-2', 'city');
    assert.ok(granted !== undefined && ended !== undefined && foreign !== undefined);
    await db.write([...own, granted, ended, foreign, other].map(insertDocument));
    await db.write([grantOn(granted.id, 'city', null), grantOn(ended.id, 'city', 1_500)].flatMap(insertGrant));
    const page = (limit: number, after?: DocumentGrant['documentId']) =>
      listVisibleDocuments(db.read, { citizenId: 'CZ-1', reader: { client: 'city' }, now: 1_500, after, limit }).then(
        (found) => found.map(({ document }) => document.id),
      );
    const expected = [granted.id, ...own.map(({ id }) => id).reverse()];
    assert.deepEqual(await page(100), expected);
    assert.deepEqual(await page(2), expected.slice(0, 2));
    assert.deepEqual(await page(100, expected[1]), expected.slice(2));
    assert.deepEqual(await page(100, expected.at(-1)), []);
  });

  test(`${engine.name}: a list contains each record once, with the grants that its reader may see`, async (t) => {
    const db = await engine.open(t);
    const [of, other] = [documentFor('CZ-1', 'tax'), documentFor('CZ-1', 'city')];
    const grants = Array.from({ length: 100 }, (_, at) =>
      grantOn(of.id, `client-${String(at).padStart(3, '0')}`, null),
    );
    const back = grantOn(other.id, 'tax', null);
    await db.write([...[of, other].map(insertDocument), ...[...grants, back].flatMap(insertGrant)]);
    let records = 0;
    const read: typeof db.read = async (sql, args) => {
      const rows = await db.read(sql, args);
      records += rows.filter((row) => 'sealed_record' in row).length;
      return rows;
    };
    const seen = async (reader: DocumentReader) => {
      const found = await listVisibleDocuments(read, {
        citizenId: 'CZ-1',
        reader,
        now: 1_500,
        after: undefined,
        limit: 9,
      });
      return Object.fromEntries(found.map((one) => [one.document.id, one.grants]));
    };
    assert.deepEqual(await seen({ citizen: 'CZ-1' }), { [other.id]: [back], [of.id]: grants });
    assert.deepEqual(await seen({ client: 'tax', purpose: undefined }), { [other.id]: [back], [of.id]: grants });
    assert.deepEqual(await seen({ client: 'client-007', purpose: undefined }), { [of.id]: [grants[7]] });
    assert.equal(records, 5);
  });
}
