import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/engines.ts';
import { buildLedgerHouse } from '../../test/ledger-house.ts';
import { eraseCitizen } from './erase-citizen.ts';

for (const engine of engines) {
  test(`${engine.name}: what waited for its number at an erasure does not name the person either`, async (t) => {
    const house = buildLedgerHouse(await engine.open(t));
    await house.db.write([house.citizenKeys.creation('anna'), house.citizenKeys.creation('bert')]);
    await house.use('anna', 'bert');
    await house.sequence();
    await house.use('anna', 'bert');
    await eraseCitizen({ ...house, read: house.db.read, actor: { operator: 'clerk' } }, 'anna');
    await house.sequence();
    const rows = await house.db.read(
      'select citizen_id, number from ledger_entry where citizen_id is not null order by leaf_index',
    );
    const nobody = `nobody:${Buffer.from(house.citizenKeys.pseudonymOf('anna')).toString('hex')}`;
    assert.deepEqual(
      rows.map((row) => [row['citizen_id'], row['number']]),
      [
        ['bert', 1],
        [nobody, 2],
        ['bert', 2],
      ],
    );
    const chain = await house.view.chain(house.citizenKeys.pseudonymOf('anna'), 0, 9);
    assert.deepEqual(await Promise.all(chain.map((entry) => house.view.contentKey(entry))), [undefined, undefined]);
  });

  test(`${engine.name}: what happens about an erased person goes on in one chain with what waited at the erasure`, async (t) => {
    const house = buildLedgerHouse(await engine.open(t));
    await house.db.write([house.citizenKeys.creation('anna')]);
    await house.use('anna');
    await eraseCitizen({ ...house, read: house.db.read, actor: { operator: 'clerk' } }, 'anna');
    await house.use('anna');
    await house.sequence();
    const chain = await house.view.chain(house.citizenKeys.pseudonymOf('anna'), 0, 9);
    assert.deepEqual(
      chain.map(({ number }) => number),
      [1, 2],
    );
  });
}
