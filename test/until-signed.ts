import assert from 'node:assert/strict';
import { readCheckpoint, readHead } from '../src/ledger/ledger-store.ts';
import { openToLook } from '../src/store/open-to-look.ts';
import { until } from './until.ts';
import type { ServerHome } from './whole-server.ts';

/**
 * Waits until the ledger of a running server has numbered and signed all that is recorded. A server that is told to end does not:
 * what has no number yet gets it from the next one.
 */
export async function untilSigned({
  dataDir,
  databaseUrl,
}: Pick<ServerHome, 'dataDir' | 'databaseUrl'>): Promise<void> {
  const db = (await openToLook({ dataDir, databaseUrl })) ?? assert.fail();
  try {
    await until(async () => {
      if ((await db.read('select id from ledger_event limit 1')).length > 0) return false;
      const head = await readHead(db.read);
      return head !== undefined && (await readCheckpoint(db.read, 'signed'))?.size === head.size;
    });
  } finally {
    await db.close();
  }
}

/** Starts the demo, and stops it when all that this recorded is in the ledger. */
export async function startedOnce(home: ServerHome): Promise<void> {
  const server = await home.start('demo');
  await untilSigned(home);
  await server.end('SIGTERM');
}
