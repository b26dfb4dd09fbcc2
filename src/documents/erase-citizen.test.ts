import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  citizen,
  type DocumentHouse,
  deposited,
  openDocumentHouse,
  otherCitizen,
  pdfOf,
} from '../../test/document-house.ts';
import { engines } from '../../test/engines.ts';
import { CitizenHeld, eraseCitizen } from '../ledger/erase-citizen.ts';
import { documentsAlong } from './erase-document.ts';
import { placeHold, releaseHold } from './legal-hold.ts';

const actor = { operator: 'registrar' } as const;

function erasing({ keeping, ports, citizenKeys }: DocumentHouse) {
  const { read } = keeping;
  return {
    ...{ ...keeping, citizenKeys, actor },
    along: (citizenId: string, now: number, proof: Parameters<typeof documentsAlong>[1]['proof']) =>
      documentsAlong({ read, ports }, { citizenId, now, proof }),
  };
}

for (const engine of engines) {
  test(`${engine.name}: an erased citizen has no document left, neither row nor bytes, and others keep theirs`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const id = await deposited(house, pdfOf(40_000));
    const other = await deposited(house, pdfOf(100), { 'citizen-id': otherCitizen });
    assert.equal(await eraseCitizen(erasing(house), citizen), true);
    const rows = await house.db.read('select id, status, sealed_record from document order by id');
    assert.deepEqual(
      rows.map((row) => [row['id'], row['status'], row['sealed_record'] === null]),
      [
        [id, 'erased', true],
        [other, 'available', false],
      ],
    );
    assert.deepEqual(
      (await house.files()).map(({ path }) => path.slice(-other.length)),
      [other],
    );
    assert.equal(await eraseCitizen(erasing(house), citizen), false);
  });

  test(`${engine.name}: a citizen about whom a legal hold stands is not erased, and is when it is released`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const id = await deposited(house, pdfOf(100));
    const placed = await placeHold(house.keeping, { actor, reason: 'court order 4 O 12/26', on: { document: id } });
    assert.ok('hold' in placed);
    await assert.rejects(eraseCitizen(erasing(house), citizen), CitizenHeld);
    assert.ok('status' in (await house.retrieve(id)));
    assert.equal((await house.files()).length, 1);
    await releaseHold(house.keeping, placed.hold, actor);
    assert.equal(await eraseCitizen(erasing(house), citizen), true);
    assert.deepEqual(await house.files(), []);
  });
}
