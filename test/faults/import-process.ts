import { rootKeyFromBytes } from '../../src/crypto/root-key.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { openSqlite } from '../../src/db/sqlite/open-sqlite.ts';
import { importCitizens } from '../../src/identity/import/import-citizens.ts';
import { createIdGenerator } from '../../src/kernel/id.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import { createCitizenKeys } from '../../src/ledger/citizen-keys.ts';
import { createCommitter } from '../../src/ledger/commit.ts';

/**
 * A process of test/faults/import.test.ts. It imports a file, and kills itself a number of milliseconds after it passed its n-th chunk to
 * the database; never if n is 0.
 */
const [databaseLocation = '', path = '', errorsPath = '', killAtChunk = '0', killAfterMs = '0'] = process.argv.slice(2);

const open = databaseLocation.startsWith('postgres') ? openPostgres : openSqlite;
const db = await open(databaseLocation, { random: systemRandom });
const citizenKeys = createCitizenKeys(db.read, rootKeyFromBytes(new Uint8Array(32)), systemRandom);
const commit = createCommitter({ db, citizenKeys, random: systemRandom }).commit;
let chunks = 0;
const importDeps = {
  read: db.read,
  commit: (effect: Parameters<typeof commit>[0]) => {
    chunks += 1;
    const written = commit(effect);
    if (chunks === Number(killAtChunk)) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(killAfterMs));
    return written;
  },
  citizenKeys,
  createId: createIdGenerator(systemClock, systemRandom),
  clock: systemClock,
};
const importOptions = {
  format: 'csv',
  conditions: [],
  dryRun: false,
  restart: false,
  actor: { operator: 'test' },
} as const;
const { began, progress } = await importCitizens(importDeps, { ...importOptions, path, errorsPath });
process.stdout.write(JSON.stringify({ began, progress }));
await db.close();
