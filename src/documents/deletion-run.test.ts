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
  test(`${engine.name}: a run passes over more held documents than a page has, looks at each once, and ends; the first page says whether any is due`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const keep = { 'document-retain-until': new Date(house.time.now + dayMs).toISOString() };
    assert.equal(await isErasureDue(house.keeping), false);
    const ids: string[] = [];
    const withdrawn = async () => {
      const id = await deposited(house, pdfOf(100), keep);
      await house.withdraw(id);
      ids.push(id);
    };
    await withdrawn();
    await Promise.all(Array.from({ length: 100 }, withdrawn));
    assert.equal(await isErasureDue(house.keeping), false);
    house.time.now += dayMs;
    let reads = 0;
    const read: typeof house.keeping.read = async (sql, args) => {
      reads += 1;
      return await house.keeping.read(sql, args);
    };
    assert.deepEqual([await isErasureDue({ ...house.keeping, read }), reads], [true, 1]);
    await placeHold(house.keeping, { actor: operator, reason: 'court order 4 O 12/26', on: { citizenId: citizen } });
    let pages = 0;
    const isStopping = () => {
      pages += 1;
      return pages > 9;
    };
    assert.deepEqual(await listedDeletion({ ...house.keeping, isStopping }, operator, false), {
      erased: [],
      held: ids.sort(),
      passed: [],
    });
  });
}
