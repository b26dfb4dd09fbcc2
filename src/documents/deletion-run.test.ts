import assert from 'node:assert/strict';
import { test } from 'node:test';
import { citizen, deposited, openDocumentHouse, pdfOf } from '../../test/document-house.ts';
import { engines } from '../../test/engines.ts';
import type { Value } from '../store/db.ts';
import { runDeletion } from './deletion-run.ts';
import { placeHold } from './legal-hold.ts';

for (const engine of engines) {
  test(`${engine.name}: a run comes to its end behind more held documents than it looks at together`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const actor = { operator: 'clerk' };
    const until = new Date(house.time.now + 1_000).toISOString();
    const id = await deposited(house, pdfOf(100), { 'document-retain-until': until });
    await house.withdraw(id);
    await placeHold(house.keeping, { actor, reason: 'court order 4 O 12/26', on: { citizenId: citizen } });
    house.time.now += 1_000;
    const [row = {}] = await house.db.read('select * from document where id = $1', [id]);
    const columns = Object.keys(row);
    const places = columns.map((_, at) => `$${at + 1}`);
    const sql = `insert into document (${columns.join(', ')}) values (${places.join(', ')})`;
    const copies = Array.from({ length: 150 }, () => ({ ...row, id: house.mint('document') }));
    await house.db.write(copies.map((copy) => ({ sql, args: Object.values<Value>(copy) })));
    const run = await runDeletion(house.keeping, actor, false);
    assert.deepEqual(run, { erased: [], held: [id, ...copies.map((copy) => copy.id)], passed: [] });
  });

  test(`${engine.name}: a record that cannot be read just now is not erased as a damaged one`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const id = await deposited(house, pdfOf(100));
    const { citizenKeys } = house.ports;
    const failing = { ...citizenKeys, keyOf: async () => await Promise.reject(new Error('the line is down')) };
    Object.assign(house.ports, { citizenKeys: failing });
    await assert.rejects(house.withdraw(id), /the line is down/);
    Object.assign(house.ports, { citizenKeys });
    assert.ok('status' in (await house.retrieve(id)));
  });
}
