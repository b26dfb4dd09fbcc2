import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deposited, openDocumentHouse, pdfOf } from '../../test/document-house.ts';
import { engines } from '../../test/engines.ts';
import { runDeletion } from './deletion-run.ts';
import { setRetentionClass } from './retention-class.ts';

const dayMs = 86_400_000;
const operator = { operator: 'clerk' };

for (const engine of engines) {
  test(`${engine.name}: a document that cannot be erased just now hinders no other, and is told`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    await house.db.write([setRetentionClass({ name: 'note', keepDays: 1, eraseAfterDays: 2, legalBasis: 'x' }, 0)]);
    const note = { 'document-retention-class': 'note' };
    const ids = [await deposited(house, pdfOf(100), note), await deposited(house, pdfOf(100), note)];
    house.time.now += 2 * dayMs;
    const { commit } = house.keeping;
    const failing: typeof commit = async (effect) => {
      const [event] = effect.events;
      if ('document' in event && event.document === ids[0]) throw new Error('not this one');
      return await commit(effect);
    };
    await assert.rejects(runDeletion({ ...house.keeping, commit: failing }, operator, false), /not this one/);
    const [row] = await house.db.read("select content from ledger_event where type = 'documents.deletion-run'");
    const { erased, failed } = JSON.parse(Buffer.from(row?.['content'] as Uint8Array).toString());
    assert.deepEqual({ erased, failed }, { erased: 1, failed: 1 });
    assert.deepEqual((await runDeletion(house.keeping, operator, false)).erased, [ids[0]]);
  });
}
