import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import { rememberList } from './wallet-list-store.ts';

for (const engine of engines) {
  test(`${engine.name}: an issuer that names a new status list in each credential fills no more than 10,000 rows`, async (t) => {
    const db = await engine.open(t);
    const remember = async (url: string) => {
      const [rows] = await db.write([rememberList({ credential: 'pid', url }, 'status', 0)]);
      return rows?.length;
    };
    await db.write([
      {
        sql: `insert into wallet_list (credential, url, role, next_fetch_at, expires_at)
          with recursive list(number) as (select 1 union all select number + 1 from list where number < 9999)
          select 'pid', 'https://status.example.eu/' || number, 'status', 0, 0 from list`,
        args: [],
      },
    ]);
    assert.equal(await remember('https://status.example.eu/last'), 1);
    assert.equal(await remember('https://status.example.eu/too-many'), 0);
    const [other] = await db.write([rememberList({ credential: 'licence', url: 'https://example.eu/1' }, 'status', 0)]);
    assert.equal(other?.length, 1);
  });
}
