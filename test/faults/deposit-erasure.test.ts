import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import { eraseDocumentsStatements } from '../../src/documents/retention/retention-store.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { eraseCitizen } from '../../src/ledger/erase-citizen.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import {
  buildDocumentApp,
  type DocumentApp,
  depositHeadersOf,
  makeDocumentFolder,
  makePdf,
  openDocumentApp,
  testCitizenId,
} from '../support/document-app.ts';

const bytes = makePdf(40_000);
const deposit = (app: DocumentApp, others: Record<string, string> = {}) =>
  app.deposit({ headers: depositHeadersOf(bytes, others), body: [bytes] });

function erase(app: DocumentApp): Promise<boolean> {
  const parts = { ...app.deletionDeps, citizenKeys: app.citizenKeys, actor: { operator: 'test' } };
  return eraseCitizen({ ...parts, extraStatements: eraseDocumentsStatements }, testCitizenId);
}

/** The remaining documents: the status of each row with a record, and the blobs. */
async function leftOf(app: DocumentApp) {
  const rows = await app.db.read('select status from document where sealed_record is not null');
  return { open: rows.map(({ status }) => status), files: (await app.files()).filter(isSealed).length };
}

const isSealed = ({ path }: { readonly path: string }) => path.startsWith('documents');
const slugOf = (result: Awaited<ReturnType<typeof deposit>>) =>
  'refusal' in result ? result.refusal.slug : result.status;

for (const engine of engines) {
  test(`${engine.name}: a citizen who is erased while the bytes of a deposit arrive gets no document, and no bytes stay`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const { blobs } = app.wires;
    const put = async (name: string, pieces: AsyncIterable<Uint8Array>) => {
      await blobs.put(name, pieces);
      assert.equal(await erase(app), true);
    };
    app.wires.blobs = { ...blobs, put };
    assert.equal(slugOf(await deposit(app)), 'changed-meanwhile');
    assert.deepEqual(await leftOf(app), { open: [], files: 0 });
    app.wires.blobs = blobs;
    assert.equal(slugOf(await deposit(app)), 'citizen-not-found');
    assert.deepEqual(await leftOf(app), { open: [], files: 0 });
  });

  test(`${engine.name}: a citizen who is erased, or imported again, before the row is written gets no document`, async (t) => {
    for (const isImportedAgain of [false, true]) {
      const app = await openDocumentApp(t, engine);
      const { write } = app.wires;
      app.wires.write = async (unit) => {
        app.wires.write = write;
        assert.equal(await erase(app), true);
        if (isImportedAgain) await app.db.write(app.citizenKeys.creationStatements([testCitizenId]));
        return await write(unit);
      };
      assert.equal(slugOf(await deposit(app, { 'idempotency-key': 'a-1' })), 'changed-meanwhile');
      assert.deepEqual(await leftOf(app), { open: [], files: 0 });
      assert.equal(
        slugOf(await deposit(app, { 'idempotency-key': 'a-1' })),
        isImportedAgain ? 201 : 'citizen-not-found',
      );
    }
  });

  test(`${engine.name}: after a concurrent deposit and erasure no document can be opened`, async (t) => {
    const { app, eraser } = await openTwoApps(t, engine);
    let stored = 0;
    for (let round = 0; round < 40; round += 1) {
      const { write } = app.wires;
      let erasing: Promise<boolean> | undefined;
      // Both units run concurrently, each one first in turn.
      app.wires.write = async (unit) => {
        app.wires.write = write;
        const before = round % 2 === 0 ? write(unit) : undefined;
        erasing = erase(eraser);
        for (let reads = round % 8; reads > 0 && before === undefined; reads -= 1) await app.db.read('select 1 as one');
        return await (before ?? write(unit));
      };
      const slug = slugOf(await deposit(app));
      assert.equal(await erasing, true);
      assert.ok(slug === 201 || slug === 'changed-meanwhile', String(slug));
      if (slug === 201) stored += 1;
      assert.deepEqual((await leftOf(app)).open, [], `round ${round}`);
      await app.db.write(app.citizenKeys.creationStatements([testCitizenId]));
    }
    const rows = await app.db.read('select status from document');
    assert.deepEqual(
      rows.map(({ status }) => status),
      Array.from({ length: stored }, () => 'erased'),
    );
    t.diagnostic(`${stored} of 40 deposits were stored first, and erased`);
  });
}

/** Two processes on one database, if the engine allows it: one deposits, the other erases. */
async function openTwoApps(t: TestContext, engine: Engine) {
  const folder = await makeDocumentFolder(t);
  const root = systemRandom(32);
  const place = await engine.createLocation(t);
  const db = await engine.openAt(place);
  t.after(() => db.close());
  await migrate(db, { now: () => 0 });
  const app = await buildDocumentApp(db, join(folder, 'house'), root);
  if (engine.name === 'sqlite') return { app, eraser: app };
  const other = await engine.openAt(place);
  t.after(() => other.close());
  return { app, eraser: await buildDocumentApp(other, join(folder, 'other'), root) };
}
