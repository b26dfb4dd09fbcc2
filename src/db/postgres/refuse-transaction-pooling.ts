import type pg from 'pg';
import { DatabaseUnusable } from '../database.ts';

/**
 * Rejects a connection through a pooler that gives its session to other clients between two transactions. The settings of the
 * session, such as `synchronous_commit`, and its prepared statements would be shared with those clients.
 * `openSecondConnection` gives a second connection to test this. If the pool has no room for one, the check is skipped.
 */
export async function refuseTransactionPooling(
  client: pg.Client,
  openSecondConnection: () => Promise<pg.Client>,
): Promise<void> {
  // At log-in, a pooler reports a process id that it invented.
  if ((await readBackendPid(client)) === Reflect.get(client, 'processID')) return;
  const other = await openSecondConnection().catch(() => undefined);
  if (other === undefined) return;
  try {
    if (await switchesSession(other, client)) throw new DatabaseUnusable(transactionPoolingMessage);
  } finally {
    await other.end();
  }
}

const transactionPoolingMessage =
  'the pooler in front of PostgreSQL gives a session to other clients between two transactions; ' +
  'set `pool_mode = session` for this database there, or name PostgreSQL itself in DATABASE_URL';

/**
 * Whether a connection changes its session between two statements. While another client holds a session in a transaction and
 * releases it last, a pooler gives that session to the next statement. A round-robin pooler changes it at the third.
 */
async function switchesSession(observed: pg.Client, holding: pg.Client): Promise<boolean> {
  await holding.query('begin');
  const first = await readBackendPid(observed);
  await holding.query('commit');
  return (await readBackendPid(observed)) !== first || (await readBackendPid(observed)) !== first;
}

/** The id of the server process that answers. Also a check that a new connection answers at all. */
export async function readBackendPid(client: pg.Client): Promise<unknown> {
  return (await client.query('select pg_backend_pid() as process')).rows[0]?.process;
}
