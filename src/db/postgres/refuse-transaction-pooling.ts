import type pg from 'pg';

/**
 * Refuses a connection whose session a pooler gives to others between two transactions: what is set and prepared in it would
 * be theirs as well, and a statement of theirs could be run for ours. `another` gives a second connection, with an answer to
 * it; where the pool has no room for one, nothing is said.
 */
export async function refuseTransactionPooling(
  client: pg.Client,
  openSecondConnection: () => Promise<pg.Client>,
): Promise<void> {
  // A pooler names a process of its own making at the log-in.
  if ((await readBackendPid(client)) === Reflect.get(client, 'processID')) return;
  const other = await openSecondConnection().catch(() => undefined);
  if (other === undefined) return;
  try {
    if (await switchesSession(other, client)) throw new Error(transactionPoolingMessage);
  } finally {
    await other.end();
  }
}

const transactionPoolingMessage =
  'the pooler in front of PostgreSQL gives a session to others between two transactions; ' +
  'set `pool_mode = session` for this database there, or name PostgreSQL itself in DATABASE_URL';

/**
 * Whether the session of a connection becomes another while nothing was lost. Another that holds one meanwhile, and lets it
 * go last, leaves it to whom a pooler gives that first; one that goes round gives another at the second look.
 */
async function switchesSession(observed: pg.Client, holding: pg.Client): Promise<boolean> {
  await holding.query('begin');
  const first = await readBackendPid(observed);
  await holding.query('commit');
  return (await readBackendPid(observed)) !== first || (await readBackendPid(observed)) !== first;
}

/** The process of the server that answers; asking for it is what a fresh connection is tried with as well. */
export async function readBackendPid(client: pg.Client): Promise<unknown> {
  return (await client.query('select pg_backend_pid() as process')).rows[0]?.process;
}
