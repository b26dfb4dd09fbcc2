/**
 * Measures how fast a rotation of the root key re-wraps the keys of citizens: first the wrapping alone, then with reads and
 * durable writes on both engines. Prints keys per second, and keys per second of CPU time in this process.
 * Usage: `node bench/root-key-rotation.ts [keys]`.
 */
import { join } from 'node:path';
import { prepareRotation, rewrapAll } from '../src/cli/rotate-root-key.ts';
import { rewrapKey, wrapKey } from '../src/crypto/key-wrapping.ts';
import { createRootKey } from '../src/crypto/root-key-file.ts';
import type { Database } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPostgres } from '../src/db/postgres/open-postgres.ts';
import { openSqlite } from '../src/db/sqlite/open-sqlite.ts';
import { createIdGenerator } from '../src/kernel/id.ts';
import { systemClock, systemRandom } from '../src/kernel/system-clock.ts';
import { createCitizenKeys } from '../src/ledger/citizen-keys.ts';
import { createCommitter } from '../src/ledger/commit.ts';
import { makeBenchFolder } from './bench-folder.ts';
import { startBenchPostgres } from './postgres.ts';

const [count = 200_000] = process.argv.slice(2).map(Number);
const fillBatchSize = 10_000;

async function measureRate(what: string, work: () => Promise<number> | number): Promise<void> {
  const [before, began] = [process.cpuUsage(), performance.now()];
  const done = await work();
  const { user, system } = process.cpuUsage(before);
  const perSecond = Math.round((done * 1_000) / (performance.now() - began));
  const perCpuSecond = Math.round((done * 1e6) / (user + system));
  process.stdout.write(`${JSON.stringify({ what, keys: done, perSecond, perCpuSecond })}\n`);
}

function rewrapInMemory(): number {
  const keys = { from: systemRandom(32), to: systemRandom(32) };
  const wrapped = wrapKey(keys.from, systemRandom(32), 'citizen CZ-100000', systemRandom);
  for (let done = 0; done < count; done += 1) rewrapKey(keys, wrapped, 'citizen CZ-100000', systemRandom);
  return count;
}

async function measureRotation(db: Database, folder: string): Promise<void> {
  await migrate(db, systemClock);
  const rootKeyPath = join(folder, `${db.engine}.key`);
  const root = createRootKey(rootKeyPath, systemRandom);
  const keys = createCitizenKeys(db.read, root, systemRandom);
  for (let first = 0; first < count; first += fillBatchSize) {
    const ids = Array.from({ length: Math.min(fillBatchSize, count - first) }, (_, at) => `CZ-${first + at}`);
    await db.write(keys.creationStatements(ids));
  }
  const rotationDeps = {
    read: db.read,
    write: db.write,
    commit: createCommitter({ db, citizenKeys: keys, random: systemRandom }).commit,
    random: systemRandom,
    clock: systemClock,
    createId: createIdGenerator(systemClock, systemRandom),
    root,
    rootKeyPath,
    operator: 'bench',
  };
  await prepareRotation(rotationDeps);
  await measureRate(
    `re-wrapped and stored, ${db.engine}`,
    async () => (await rewrapAll(rotationDeps, () => undefined)).citizenKeys,
  );
}

const folder = makeBenchFolder('rewrap-');
const postgres = await startBenchPostgres();
try {
  for (let round = 0; round < 2; round += 1) await measureRate('wrapping alone', rewrapInMemory);
  for (const db of [
    await openSqlite(join(folder, 'bench.sqlite'), { random: systemRandom }),
    await openPostgres(await postgres.create('rewrap'), { random: systemRandom }),
  ]) {
    await measureRotation(db, folder);
    await db.close();
  }
} finally {
  await postgres.stop();
}
