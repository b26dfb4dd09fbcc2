import assert from 'node:assert/strict';
import { readCheckpoint, readHead } from '../src/ledger/ledger-store.ts';
import type { Read } from '../src/store/db.ts';
import { openToLook } from '../src/store/open-to-look.ts';
import { until } from './until.ts';
import type { ServerHome } from './whole-server.ts';

type Stored = Pick<ServerHome, 'dataDir' | 'databaseUrl'>;

/** Waits until that is so in the database of a running server. */
async function untilStored({ dataDir, databaseUrl }: Stored, isSo: (read: Read) => Promise<boolean>): Promise<void> {
  const db = (await openToLook({ dataDir, databaseUrl })) ?? assert.fail();
  try {
    await until(() => isSo(db.read));
  } finally {
    await db.close();
  }
}

/**
 * Waits until the ledger of a running server has numbered and signed all that is recorded. A server that is told to end does not:
 * what has no number yet gets it from the next one.
 */
export async function untilSigned(home: Stored): Promise<void> {
  await untilStored(home, async (read) => {
    if ((await read('select id from ledger_event limit 1')).length > 0) return false;
    const head = await readHead(read);
    return head !== undefined && (await readCheckpoint(read, 'signed'))?.size === head.size;
  });
}

/** Waits until nothing is on its way to a citizen: what ends later is recorded later. */
async function untilDelivered(home: Stored): Promise<void> {
  const open = "select id from delivery where status = 'sending' or (status = 'queued' and run_at <= $1) limit 1";
  await untilStored(home, async (read) => (await read(open, [Date.now()])).length === 0);
}

/** Starts the demo, and stops it when all that this recorded is in the ledger. */
export async function startedOnce(home: ServerHome): Promise<void> {
  const server = await home.start('demo');
  await untilDelivered(home);
  await untilSigned(home);
  await server.end('SIGTERM');
}
