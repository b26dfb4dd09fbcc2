import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadUnavailable } from '../database.ts';
import type { PostgresConnection, StatementReply } from './postgres-connection.ts';
import { createReadPool } from './read-pool.ts';

// A server that loses its sessions in an exact order. test/faults uses a real server.
function losingServer(times: number) {
  const counts = { sent: 0, opened: 0 };
  const ends: (() => void)[] = [];
  const lost: StatementReply = { fault: { is: 'lost', message: 'gone' } };
  const open = async (): Promise<PostgresConnection> => {
    counts.opened += 1;
    let usable = true;
    ends.push(() => {
      usable = false;
    });
    return {
      get usable() {
        return usable;
      },
      send: async () => {
        counts.sent += 1;
        return [counts.sent <= times ? lost : { rows: [{ n: 1 }], command: 'SELECT' }];
      },
      destroy: () => {
        usable = false;
      },
      close: async () => undefined,
    };
  };
  const endAll = () => {
    for (const end of ends) end();
  };
  return { readers: createReadPool(open), counts, endAll };
}

test('a lost read is tried three times in total, each time on a new session, and then fails as unavailable', async () => {
  for (const sql of ['select n from thing', 'select n from thing where id = $1']) {
    const args = sql.includes('$1') ? ['a'] : undefined;
    const twice = losingServer(2);
    assert.deepEqual(await twice.readers.read(sql, args), [{ n: 1 }]);
    assert.deepEqual(twice.counts, { sent: 3, opened: 3 });
    const thrice = losingServer(3);
    await assert.rejects(thrice.readers.read(sql, args), new ReadUnavailable('the database does not answer: gone'));
    assert.deepEqual(thrice.counts, { sent: 3, opened: 3 });
    await Promise.all([twice, thrice].map(({ readers }) => readers.close()));
  }
});

test('one new session is opened by the first of many reads that find a lost session', async () => {
  const { readers, counts, endAll } = losingServer(0);
  const readAll = () => Promise.all(Array.from({ length: 16 }, () => readers.read('select n from thing', undefined)));
  await readAll();
  assert.deepEqual(counts, { sent: 16, opened: 1 });
  endAll();
  await readAll();
  assert.deepEqual(counts, { sent: 32, opened: 2 });
  await readers.close();
});
