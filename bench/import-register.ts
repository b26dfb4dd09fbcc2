import { flushCompileCache } from 'node:module';
import { parseArgs } from 'node:util';
import { createLog } from '../src/api/log.ts';
import { openApp } from '../src/app/app-context.ts';
import { readSettings } from '../src/config/settings.ts';
import { readRootKey } from '../src/crypto/root-key-file.ts';
import { importCitizens } from '../src/identity/import/import-citizens.ts';
import { systemTimer } from '../src/jobs/timer.ts';
import { systemClock, systemRandom } from '../src/kernel/system-clock.ts';

// A process that imports a register into the house of its environment and tells its parent what that took.

/** What an import took: `peakMib` is the most memory that the whole process held. */
export type ImportFigures = {
  readonly rows: number;
  readonly seconds: number;
  readonly peakMib: number;
  /** Processor time in microseconds a row: of the thread that reads, and of all others (writer, garbage collection). */
  readonly cpuUs?: { readonly main: number; readonly others: number };
};

const { values } = parseArgs({
  options: { file: { type: 'string', default: '' }, root: { type: 'string', default: '' } },
});
const app = await openApp({
  ...{ settings: readSettings(process.env), root: readRootKey(values.root), log: createLog('error') },
  ...{ clock: systemClock, timer: systemTimer, random: systemRandom },
});
const before = performance.now();
const [mainBefore, allBefore] = [process.threadCpuUsage(), process.cpuUsage()];
const { progress } = await importCitizens(
  // As the command `import citizens` where no server runs.
  { ...app, read: app.db.read, isAlone: app.db.engine === 'sqlite' },
  {
    ...{ path: values.file, format: 'csv', conditions: [], dryRun: false, restart: false },
    actor: { operator: 'bench' },
  },
);
const seconds = (performance.now() - before) / 1_000;
const perRow = ({ user, system }: NodeJS.CpuUsage) => (user + system) / progress.stored;
const main = perRow(process.threadCpuUsage(mainBefore));
const others = perRow(process.cpuUsage(allBefore)) - main;
if (progress.refused > 0) throw new Error(`${progress.refused} rows of the bench register were refused`);
await app.close();
// The parent ends this process before it would do so itself.
flushCompileCache();
const peakMib = process.resourceUsage().maxRSS / 1_024;
process.send?.({ rows: progress.stored, seconds, peakMib, cpuUs: { main, others } } satisfies ImportFigures);
