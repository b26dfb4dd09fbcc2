import { importCitizens } from '../../src/identity/import/import-citizens.ts';
import { createMint } from '../../src/kernel/id.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import { rootKeyFrom } from '../../src/keys/root-key.ts';
import { createCitizenKeys } from '../../src/ledger/citizen-keys.ts';
import { createCommit } from '../../src/ledger/commit.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { openSqlite } from '../../src/store/sqlite.ts';

/**
 * One process of test/faults/import.test.ts: imports a file into the database at a place, and kills itself so many
 * milliseconds after it handed over its n-th chunk; never where n is 0.
 */
const [place = '', path = '', errorsPath = '', killAtChunk = '0', killAfterMs = '0'] = process.argv.slice(2);

const open = place.startsWith('postgres') ? openPostgres : openSqlite;
const db = await open(place, { random: systemRandom });
const citizenKeys = createCitizenKeys(db.read, rootKeyFrom(new Uint8Array(32)), systemRandom);
const commit = createCommit(db, citizenKeys, systemRandom);
let chunks = 0;
const house = {
  read: db.read,
  commit: (effect: Parameters<typeof commit>[0]) => {
    chunks += 1;
    const written = commit(effect);
    if (chunks === Number(killAtChunk)) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(killAfterMs));
    return written;
  },
  citizenKeys,
  mint: createMint(systemClock, systemRandom),
  clock: systemClock,
};
const order = { format: 'csv', conditions: [], dryRun: false, restart: false, actor: { operator: 'test' } } as const;
const { began, progress } = await importCitizens(house, { ...order, path, errorsPath });
process.stdout.write(JSON.stringify({ began, progress }));
await db.close();
