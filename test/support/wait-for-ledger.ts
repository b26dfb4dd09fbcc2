import assert from 'node:assert/strict';
import type { Read } from '../../src/db/database.ts';
import { openReadOnly } from '../../src/db/open-read-only.ts';
import { readCheckpoint, readTreeHead } from '../../src/ledger/ledger-store.ts';
import type { ServerFixture } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

type StoredServer = Pick<ServerFixture, 'dataDir' | 'databaseUrl'>;

/** Waits until a condition holds in the database of a running server. */
async function waitForStored(
  { dataDir, databaseUrl }: StoredServer,
  condition: (read: Read) => Promise<boolean>,
): Promise<void> {
  const db = (await openReadOnly({ dataDir, databaseUrl })) ?? assert.fail();
  try {
    await waitUntil(() => condition(db.read));
  } finally {
    await db.close();
  }
}

/**
 * Waits until a running server has numbered and signed all recorded events. A server that stops does not wait for that: the
 * next one numbers the remaining events.
 */
export async function waitUntilSigned(home: StoredServer): Promise<void> {
  await waitForStored(home, async (read) => {
    if ((await read('select id from ledger_event limit 1')).length > 0) return false;
    const head = await readTreeHead(read);
    return head !== undefined && (await readCheckpoint(read, 'signed'))?.size === head.size;
  });
}

/** Waits until no delivery is due or running, because the end of a delivery records an event. */
async function waitUntilDelivered(home: StoredServer): Promise<void> {
  const open = "select id from delivery where status = 'sending' or (status = 'queued' and run_at <= $1) limit 1";
  await waitForStored(home, async (read) => (await read(open, [Date.now()])).length === 0);
}

/** Starts the demo, and stops it when all events of the start are in the signed ledger. */
export async function runDemoOnce(home: ServerFixture): Promise<void> {
  const server = await home.start('demo');
  await waitUntilDelivered(home);
  await waitUntilSigned(home);
  await server.stop('SIGTERM');
}
