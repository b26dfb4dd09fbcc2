import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createDatabase, dropDatabase } from '../../../test/support/postgres-databases.ts';
import { startPostgresProxy } from '../../../test/support/postgres-proxy.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { createStatementTexts } from '../statement-texts.ts';
import { createPostgresConnector, type PostgresSession } from './postgres-connection.ts';

const connectPostgres = ({ url, ...session }: PostgresSession & { readonly url: string }) =>
  createPostgresConnector(url)(session);

async function createOptions(t: TestContext) {
  const url = await createDatabase('empty');
  t.after(() => dropDatabase(url));
  return { url, texts: createStatementTexts(), deadlineMs: 60_000 };
}

test('a connection stays usable when the deadline of an ended call passes', async (t) => {
  const options = await createOptions(t);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const connection = await connectPostgres({ ...options, setup: 'select 1' });
  for (let times = 0; times < 3; times += 1) {
    t.mock.timers.tick(120_000);
    assert.deepEqual(await connection.send([{ sql: 'select 1 as n' }]), [{ rows: [{ n: 1 }], command: 'SELECT' }]);
  }
  await connection.close();
});

test('a connection is closed when its setup fails, and when it is destroyed', async (t) => {
  const options = await createOptions(t);
  await assert.rejects(connectPostgres({ ...options, setup: 'select nothing' }), /nothing/);
  const destroyed = await connectPostgres({ ...options, setup: 'select 1' });
  destroyed.destroy();
  // Unusable at once: a statement sent over it would have an unknown outcome although it was never sent.
  assert.equal(destroyed.usable, false);
  const connection = await connectPostgres({ ...options, setup: 'select 1' });
  const sql =
    'select count(*) as others from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  const others = async () => {
    const [reply] = await connection.send([{ sql }]);
    return reply !== undefined && 'rows' in reply ? reply.rows[0]?.['others'] : undefined;
  };
  await waitUntil(async () => (await others()) === 0);
  await connection.close();
});

test('a connection without a pooler is not tested with a second connection', async (t) => {
  const options = await createOptions(t);
  const proxy = await startPostgresProxy(t, options.url);
  const connection = await connectPostgres({ ...options, url: proxy.url, setup: 'select 1' });
  assert.equal(proxy.transactionCount(), 0);
  await connection.close();
});

test('the statements of one tick are one write to the socket', async (t) => {
  const connection = await connectPostgres({ ...(await createOptions(t)), setup: 'select 1' });
  // A socket has both methods, although the second is optional for streams.
  const socket = Socket.prototype as unknown as Record<'_write' | '_writev', () => void>;
  const writes = (['_write', '_writev'] as const).map((name) => t.mock.method(socket, name).mock);
  const [one, four] = [(n: number) => ({ rows: [{ n }], command: 'SELECT' }), { rows: [{ n: 4 }], command: 'SELECT' }];
  const numbers = [1, 2, 3];
  for (let tick = 1; tick < 3; tick += 1) {
    const sent = numbers.map((n) => connection.send([{ sql: `select ${n} as n` }, { sql: 'select 4 as n' }]));
    assert.deepEqual(
      await Promise.all(sent),
      numbers.map((n) => [one(n), four]),
    );
    assert.equal(writes.flatMap(({ calls }) => calls).length, tick);
  }
  await connection.close();
});
