import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import pg from 'pg';
import { type PostgresServer, startPostgres } from '../support/postgres-databases.ts';
import { makeServerFixture, waitUntilSigned } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

async function query(url: string, sql: string): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const socketFolder = ({ url }: PostgresServer) => new URL(url.replace('@/', '@localhost/')).searchParams.get('host');

/** Ends the shell, the server and all its sessions at once, like a loss of power. */
function killServer({ pid }: PostgresServer): void {
  const children = (of: number): number[] => {
    const list = execFileSync('ps', ['-o', 'pid=', '--ppid', String(of)], { encoding: 'utf8' });
    return list.split('\n').filter(Boolean).map(Number);
  };
  const childrenOf = (of: number) => {
    try {
      return children(of);
    } catch {
      // `ps` fails if there is none.
      return [];
    }
  };
  const servers = childrenOf(pid);
  for (const one of [...servers, ...servers.flatMap(childrenOf)]) process.kill(one, 'SIGKILL');
}

test('every accepted message is stored once after the promotion of a synchronous standby under load', async (t) => {
  const primary = await startPostgres({ settings: { synchronous_standby_names: 'standby' } });
  t.after(() => primary.stop());
  const standby = await startPostgres({ standbyOf: primary });
  t.after(() => standby.stop());
  await waitUntil(async () => {
    const rows = await query(primary.url, 'select sync_state from pg_stat_replication');
    return rows[0]?.['sync_state'] === 'sync';
  });

  const hosts = `${socketFolder(primary)},${socketFolder(standby)}`;
  const DATABASE_URL = `postgres://postgres@localhost/postgres?host=${hosts}&target_session_attrs=read-write`;
  const home = await makeServerFixture(t, { settings: { DATABASE_URL } });
  const server = await home.start('demo');
  const authorization = `Bearer ${await home.fetchAccessToken()}`;

  const accepted = new Map<string, string>();
  const send = async (key: string) => {
    const response = await fetch(`${home.url}/v1/notifications/send`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ citizenId: 'demo-mary', message: 'x', reference: key }),
    });
    const { id } = (await response.json()) as { readonly id?: string };
    if (response.status === 202) accepted.set(key, id ?? assert.fail());
    return response.status;
  };
  let isLoaded = true;
  const client = async (name: string) => {
    for (let number = 0; isLoaded; number += 1) {
      // A client repeats a request without a clear answer, with its key.
      await waitUntil(async () => (await send(`${name}-${number}`)) === 202);
    }
  };
  const load = Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(client));
  await waitUntil(async () => accepted.size > 60);

  killServer(primary);
  await query(standby.url, 'select pg_promote()');
  const atPromotion = accepted.size;
  await waitUntil(async () => accepted.size > atPromotion + 60);
  isLoaded = false;
  await load;

  const rows = await query(standby.url, "select id, reference from notification where reference ~ '^[a-f]-[0-9]+$'");
  const stored = new Map(rows.map((row) => [String(row['reference']), String(row['id'])]));
  assert.equal(rows.length, stored.size, 'no message is stored twice');
  for (const [key, id] of accepted) assert.equal(stored.get(key), id);

  await waitUntilSigned({ dataDir: home.dataDir, databaseUrl: DATABASE_URL });
  const key = (await home.runCommand('ledger', 'key')).stdout.trim();
  const verified = await home.runCommand('ledger', 'verify', `${home.url}/ledger`, '--key', key.split('\n')[0] ?? '');
  assert.match(`${verified.stdout}${verified.stderr}`, /verified/);
  assert.equal(verified.code, 0, verified.stderr);
  assert.deepEqual(await server.stop('SIGTERM'), { code: 0, signal: null });
});
