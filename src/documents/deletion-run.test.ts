import assert from 'node:assert/strict';
import { test } from 'node:test';
import { citizen, deposited, openDocumentHouse, pdfOf } from '../../test/document-house.ts';
import { engines } from '../../test/engines.ts';
import { listedDeletion } from '../../test/listed-deletion.ts';
import { isErasureDue } from './deletion-run.ts';
import { placeHold } from './legal-hold.ts';

const dayMs = 86_400_000;
const operator = { operator: 'clerk' } as const;

for (const engine of engines) {
  test(`${engine.name}: a run passes over more held documents than a page has, looks at each once, and ends`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const keep = { 'document-retain-until': new Date(house.time.now + dayMs).toISOString() };
    const ids = [];
    for (let count = 0; count < 101; count += 1) ids.push(await deposited(house, pdfOf(100), keep));
    for (const id of ids) await house.withdraw(id);
    await placeHold(house.keeping, { actor: operator, reason: 'court order 4 O 12/26', on: { citizenId: citizen } });
    house.time.now += dayMs;
    let pages = 0;
    const isStopping = () => {
      pages += 1;
      return pages > 9;
    };
    assert.deepEqual(await listedDeletion({ ...house.keeping, isStopping }, operator, false), {
      erased: [],
      held: ids,
      passed: [],
    });
  });

  test(`${engine.name}: whether anything is due is known by the first page that says so`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const keep = { 'document-retain-until': new Date(house.time.now + dayMs).toISOString() };
    assert.equal(await isErasureDue(house.keeping), false);
    for (let count = 0; count < 101; count += 1) await house.withdraw(await deposited(house, pdfOf(100), keep));
    assert.equal(await isErasureDue(house.keeping), false);
    house.time.now += dayMs;
    let pages = 0;
    const read: typeof house.keeping.read = async (sql, args) => {
      pages += 1;
      return await house.keeping.read(sql, args);
    };
    assert.deepEqual([await isErasureDue({ ...house.keeping, read }), pages], [true, 1]);
  });
}
