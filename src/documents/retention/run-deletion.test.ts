import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import {
  depositDocumentOf,
  makePdf,
  openDocumentApp,
  runDeletionWithIds,
  testCitizenId,
} from '../../../test/support/document-app.ts';
import { placeHold } from './legal-hold.ts';
import { isErasureDue } from './run-deletion.ts';

const dayMs = 86_400_000;
const operator = { operator: 'clerk' } as const;

for (const engine of engines) {
  test(`${engine.name}: a deletion run over more than a page of held documents reads each once, and one read finds whether any is due`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const keep = { 'document-retain-until': new Date(app.time.now + dayMs).toISOString() };
    assert.equal(await isErasureDue(app.deletionDeps), false);
    const ids: string[] = [];
    const withdrawn = async () => {
      const id = await depositDocumentOf(app, makePdf(100), keep);
      await app.withdraw(id);
      ids.push(id);
    };
    await withdrawn();
    await Promise.all(Array.from({ length: 100 }, withdrawn));
    assert.equal(await isErasureDue(app.deletionDeps), false);
    app.time.now += dayMs;
    let reads = 0;
    const read: typeof app.deletionDeps.read = async (sql, args) => {
      reads += 1;
      return await app.deletionDeps.read(sql, args);
    };
    assert.deepEqual([await isErasureDue({ ...app.deletionDeps, read }), reads], [true, 1]);
    await placeHold(app.deletionDeps, {
      actor: operator,
      reason: 'court order 4 O 12/26',
      on: { citizenId: testCitizenId },
    });
    let pages = 0;
    const isStopping = () => {
      pages += 1;
      return pages > 9;
    };
    assert.deepEqual(await runDeletionWithIds({ ...app.deletionDeps, isStopping }, operator, false), {
      erased: [],
      held: ids.sort(),
      passed: [],
    });
  });
}
