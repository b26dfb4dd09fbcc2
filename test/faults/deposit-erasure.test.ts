import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { citizenErasure } from '../../src/documents/keeping-store.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { eraseCitizen } from '../../src/ledger/erase-citizen.ts';
import { migrate } from '../../src/store/migrations.ts';
import {
  buildDocumentHouse,
  citizen,
  type DocumentHouse,
  depositHeadersFor,
  openDocumentHouse,
  pdfOf,
  temporaryFolder,
} from '../document-house.ts';
import { type Engine, engines } from '../engines.ts';

const bytes = pdfOf(40_000);
const deposit = (house: DocumentHouse, others: Record<string, string> = {}) =>
  house.deposit({ headers: depositHeadersFor(bytes, others), body: [bytes] });

function erase(house: DocumentHouse): Promise<boolean> {
  const parts = { ...house.keeping, citizenKeys: house.citizenKeys, actor: { operator: 'test' } };
  return eraseCitizen({ ...parts, besides: citizenErasure }, citizen);
}

/** What of documents is there: the states of the rows that could still be opened, and the blobs. */
async function leftOf(house: DocumentHouse) {
  const rows = await house.db.read('select status from document where sealed_record is not null');
  return { open: rows.map(({ status }) => status), files: (await house.files()).filter(isSealed).length };
}

const isSealed = ({ path }: { readonly path: string }) => path.startsWith('documents');
const slugOf = (result: Awaited<ReturnType<typeof deposit>>) =>
  'refusal' in result ? result.refusal.slug : result.status;

for (const engine of engines) {
  test(`${engine.name}: a citizen erased while the bytes arrive gets no document, and none of the bytes stay`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const { blobs } = house.wires;
    const put = async (name: string, pieces: AsyncIterable<Uint8Array>) => {
      await blobs.put(name, pieces);
      assert.equal(await erase(house), true);
    };
    house.wires.blobs = { ...blobs, put };
    assert.equal(slugOf(await deposit(house)), 'changed-meanwhile');
    assert.deepEqual(await leftOf(house), { open: [], files: 0 });
    house.wires.blobs = blobs;
    assert.equal(slugOf(await deposit(house)), 'citizen-not-found');
    assert.deepEqual(await leftOf(house), { open: [], files: 0 });
  });

  test(`${engine.name}: a citizen erased, even taken up anew, before the row is written gets no document`, async (t) => {
    for (const anew of [false, true]) {
      const house = await openDocumentHouse(t, engine);
      const { write } = house.wires;
      house.wires.write = async (unit) => {
        house.wires.write = write;
        assert.equal(await erase(house), true);
        if (anew) await house.db.write(house.citizenKeys.creations([citizen]));
        return await write(unit);
      };
      assert.equal(slugOf(await deposit(house, { 'idempotency-key': 'a-1' })), 'changed-meanwhile');
      assert.deepEqual(await leftOf(house), { open: [], files: 0 });
      assert.equal(slugOf(await deposit(house, { 'idempotency-key': 'a-1' })), anew ? 201 : 'citizen-not-found');
    }
  });

  test(`${engine.name}: of a deposit and an erasure at the same time, no document is left that could be opened`, async (t) => {
    const { house, eraser } = await twoHouses(t, engine);
    let stored = 0;
    for (let round = 0; round < 40; round += 1) {
      const { write } = house.wires;
      let erasing: Promise<boolean> | undefined;
      // Both units are on their way at once, now the one first, now the other.
      house.wires.write = async (unit) => {
        house.wires.write = write;
        const before = round % 2 === 0 ? write(unit) : undefined;
        erasing = erase(eraser);
        for (let reads = round % 8; reads > 0 && before === undefined; reads -= 1)
          await house.db.read('select 1 as one');
        return await (before ?? write(unit));
      };
      const slug = slugOf(await deposit(house));
      assert.equal(await erasing, true);
      assert.ok(slug === 201 || slug === 'changed-meanwhile', String(slug));
      if (slug === 201) stored += 1;
      assert.deepEqual((await leftOf(house)).open, [], `round ${round}`);
      await house.db.write(house.citizenKeys.creations([citizen]));
    }
    const rows = await house.db.read('select status from document');
    assert.deepEqual(
      rows.map(({ status }) => status),
      Array.from({ length: stored }, () => 'erased'),
    );
    t.diagnostic(`${stored} of 40 deposits were stored first, and erased`);
  });
}

/** Two programs on one database, where the engine allows that: the one deposits, the other erases. */
async function twoHouses(t: TestContext, engine: Engine) {
  const folder = await temporaryFolder(t);
  const root = systemRandom(32);
  const place = await engine.place(t);
  const db = await engine.openAt(place);
  t.after(() => db.close());
  await migrate(db, { now: () => 0 });
  const house = await buildDocumentHouse(db, join(folder, 'house'), root);
  if (engine.name === 'sqlite') return { house, eraser: house };
  const other = await engine.openAt(place);
  t.after(() => other.close());
  return { house, eraser: await buildDocumentHouse(other, join(folder, 'other'), root) };
}
