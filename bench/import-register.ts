import { flushCompileCache } from 'node:module';
import { parseArgs } from 'node:util';
import { createLog } from '../src/api/log.ts';
import { openApp } from '../src/app/app-context.ts';
import { readSettings } from '../src/config/settings.ts';
import { readRootKey } from '../src/crypto/root-key-file.ts';
import { importCitizens } from '../src/identity/import/import-citizens.ts';
import { systemTimer } from '../src/jobs/timer.ts';
import { systemClock, systemRandom } from '../src/kernel/system-clock.ts';
import { BenchFailed } from './bench-failed.ts';

// This process imports a register into the installation of its environment and sends the figures to its parent.

/** Figures of an import. `peakMib` is the peak memory of the whole process. */
export type ImportFigures = {
  readonly rows: number;
  readonly seconds: number;
  readonly peakMib: number;
  /** CPU time in microseconds per row: of the thread that reads, and of all others (writer, garbage collection). */
  readonly cpuUs?: { readonly main: number; readonly others: number };
};

const { values } = parseArgs({
  options: { file: { type: 'string', default: '' }, root: { type: 'string', default: '' } },
});
const app = await openApp({
  settings: readSettings(process.env),
  root: readRootKey(values.root),
  log: createLog('error'),
  clock: systemClock,
  timer: systemTimer,
  random: systemRandom,
});
const before = performance.now();
const [mainBefore, allBefore] = [process.threadCpuUsage(), process.cpuUsage()];
const { progress } = await importCitizens(
  // The same options as the command `citizens import` without a running server.
  { ...app, read: app.db.read, isAlone: app.db.engine === 'sqlite' },
  {
    path: values.file,
    format: 'csv',
    conditions: [],
    dryRun: false,
    restart: false,
    actor: { operator: 'bench' },
  },
);
const seconds = (performance.now() - before) / 1_000;
const perRow = ({ user, system }: NodeJS.CpuUsage) => (user + system) / progress.stored;
const main = perRow(process.threadCpuUsage(mainBefore));
const others = perRow(process.cpuUsage(allBefore)) - main;
if (progress.refused > 0)
  throw new BenchFailed(`expected all rows of the bench register to be imported, but ${progress.refused} were refused`);
await app.close();
// The parent kills this process before Node.js would write the cache at exit.
flushCompileCache();
const peakMib = process.resourceUsage().maxRSS / 1_024;
process.send?.({ rows: progress.stored, seconds, peakMib, cpuUs: { main, others } } satisfies ImportFigures);
