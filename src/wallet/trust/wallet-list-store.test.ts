import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import type { Statement } from '../../db/database.ts';
import { findDueLists, rememberList, rememberNamedList, storeFetchedList } from './wallet-list-store.ts';

for (const engine of engines) {
  test(`${engine.name}: an issuer that names a new status list in each credential fills 10,000 rows, and delays no other list`, async (t) => {
    const db = await engine.open(t);
    const count = async (statement: Statement) => (await db.write([statement]))[0]?.length;
    const named = (credential: string, name: string) =>
      count(rememberNamedList({ credential, url: `https://status.example.eu/${name}` }, 0));
    await db.write([
      {
        sql: `insert into wallet_list (credential, url, role, next_fetch_at, expires_at)
          with recursive list(number) as (select 1 union all select number + 1 from list where number < 9999)
          select 'pid', 'https://status.example.eu/' || number, 'status', 0, 0 from list`,
        args: [],
      },
    ]);
    assert.deepEqual([await named('pid', 'last'), await named('pid', 'too-many')], [1, 0]);
    // The lists of another kind, and those that the operator adds, are still fetched.
    assert.equal(await named('licence', 'first'), 1);
    const issuers = { credential: 'pid', url: 'https://lists.example.eu/' };
    assert.equal(await count(rememberList(issuers, 'issuers', 1)), 1);
    // The list of the operator comes first, and then a list that was fetched before.
    const known = { credential: 'licence', url: 'https://status.example.eu/first' };
    const fetched = { fetchedAt: 0, expiresAt: 2, content: new Uint8Array(), nextFetchAt: 1, sequenceNumber: 1 };
    assert.equal(await count(storeFetchedList(known, fetched)), 1);
    const due = await findDueLists(db.read, 1, 2);
    assert.deepEqual(
      due.map(({ url }) => url),
      [issuers.url, known.url],
    );
  });
}
