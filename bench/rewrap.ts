/**
 * How fast a rotation of the root key wraps the keys of citizens anew: the wrapping alone, and all of it with the reading
 * and the synced writing on both engines. Keys a second, and keys a second of CPU in this process.
 * `node bench/rewrap.ts [keys]`.
 */
import { join } from 'node:path';
import { prepareRotation, rewrapAll } from '../src/cli/rotate-root.ts';
import { createMint } from '../src/kernel/id.ts';
import { systemClock, systemRandom } from '../src/kernel/system-clock.ts';
import { createRootKey } from '../src/keys/root-key-file.ts';
import { drawnAtOnce, rewrapKey, wrapKey, wrapNonceBytes } from '../src/keys/wrap.ts';
import { createCitizenKeys } from '../src/ledger/citizen-keys.ts';
import { createCommit } from '../src/ledger/commit.ts';
import type { Db } from '../src/store/db.ts';
import { migrate } from '../src/store/migrations.ts';
import { openPostgres } from '../src/store/postgres.ts';
import { openSqlite } from '../src/store/sqlite.ts';
import { makeBenchFolder } from './bench-folder.ts';
import { startBenchPostgres } from './postgres.ts';

const [count = 200_000] = process.argv.slice(2).map(Number);
const fillAtOnce = 10_000;

async function timed(what: string, work: () => Promise<number> | number): Promise<void> {
  const [before, began] = [process.cpuUsage(), performance.now()];
  const done = await work();
  const { user, system } = process.cpuUsage(before);
  const perSecond = Math.round((done * 1_000) / (performance.now() - began));
  const perCpuSecond = Math.round((done * 1e6) / (user + system));
  process.stdout.write(`${JSON.stringify({ what, keys: done, perSecond, perCpuSecond })}\n`);
}

function wrapAlone(): number {
  const keys = { from: systemRandom(32), to: systemRandom(32) };
  const wrapped = wrapKey(keys.from, systemRandom(32), 'citizen CZ-100000', systemRandom);
  const drawn = drawnAtOnce(systemRandom, count * wrapNonceBytes);
  for (let done = 0; done < count; done += 1) rewrapKey(keys, wrapped, 'citizen CZ-100000', drawn);
  return count;
}

async function measure(db: Db, folder: string): Promise<void> {
  await migrate(db, systemClock);
  const rootKeyPath = join(folder, `${db.engine}.key`);
  const root = createRootKey(rootKeyPath, systemRandom);
  const keys = createCitizenKeys(db.read, root, systemRandom);
  for (let first = 0; first < count; first += fillAtOnce) {
    const ids = Array.from({ length: Math.min(fillAtOnce, count - first) }, (_, at) => `CZ-${first + at}`);
    await db.write(keys.creations(ids));
  }
  const room = {
    ...{ read: db.read, write: db.write, commit: createCommit(db, keys, systemRandom), random: systemRandom },
    ...{ clock: systemClock, mint: createMint(systemClock, systemRandom), root, rootKeyPath, operator: 'bench' },
  };
  await prepareRotation(room);
  await timed(
    `wrapped anew and stored, ${db.engine}`,
    async () => (await rewrapAll(room, () => undefined)).citizenKeys,
  );
}

const folder = makeBenchFolder('rewrap-');
const postgres = await startBenchPostgres();
try {
  for (let round = 0; round < 2; round += 1) await timed('wrapping alone', wrapAlone);
  for (const db of [
    await openSqlite(join(folder, 'bench.sqlite'), { random: systemRandom }),
    await openPostgres(await postgres.create('rewrap'), { random: systemRandom }),
  ]) {
    await measure(db, folder);
    await db.close();
  }
} finally {
  await postgres.stop();
}
