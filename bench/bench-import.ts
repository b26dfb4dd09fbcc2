import { join } from 'node:path';
import { type BenchEnvironment, benchEngines, newInstallation } from './bench-environment.ts';
import { firstMessage, startProcess } from './child.ts';
import { writeRegister } from './citizens.ts';
import type { ImportFigures } from './import-register.ts';
import { importRegister } from './installation.ts';
import { median } from './measure.ts';
import type { BenchResult, GoalCheck } from './result.ts';

const goalRowsPerSecond = 50_000;
const goalMib = 256;

/** Imports the register into new installations, alternating with csv-parse alone. */
export async function benchImport(environment: BenchEnvironment, rounds: number): Promise<BenchResult[]> {
  const figures = new Map<string, ImportFigures[]>();
  const add = (name: string, one: ImportFigures) => {
    figures.set(name, [...(figures.get(name) ?? []), one]);
    const cpu = one.cpuUs === undefined ? '' : `, ${describeCpu(one.cpuUs)}`;
    environment.logProgress(`import: ${name} ${Math.round(one.rows / one.seconds)}${cpu}`);
  };
  // A first import of a few rows fills the compile cache. Then no round includes the time of type stripping.
  const smallRegister = join(environment.folder, 'few.csv');
  await writeRegister(smallRegister, 10);
  for (const engine of benchEngines) await importRegister(await newInstallation(environment, engine), smallRegister);
  for (let round = 0; round < rounds; round += 1) {
    add('csv-parse alone', await readCsvOnly(environment.registerPath));
    for (const engine of benchEngines) {
      add(
        `ours, ${engine}`,
        await importRegister(await newInstallation(environment, engine), environment.registerPath),
      );
    }
  }
  return [...figures].map(([server, own]) => toResult(server, own));
}

function describeCpu({ main, others }: NonNullable<ImportFigures['cpuUs']>): string {
  return `${main.toFixed(1)} µs CPU a row on the main thread, ${others.toFixed(1)} on other threads`;
}

async function readCsvOnly(path: string): Promise<ImportFigures> {
  const child = startProcess(join(import.meta.dirname, 'baselines/csv-parse.ts'), { args: [path] });
  // Sent by baselines/csv-parse.ts.
  const figures = (await firstMessage(child)) as ImportFigures;
  await child.stop();
  return figures;
}

function toResult(server: string, own: readonly ImportFigures[]): BenchResult {
  const rates = own.map(({ rows, seconds }) => rows / seconds);
  const rate = median(rates) ?? Number.NaN;
  const memoryMib = Math.max(...own.map(({ peakMib }) => peakMib));
  const checks: GoalCheck[] = [
    { what: 'rows a second', figure: rate, goal: goalRowsPerSecond, by: 'at least' },
    { what: 'MiB', figure: memoryMib, goal: goalMib, by: 'at most' },
  ];
  const spread = { lowest: Math.min(...rates), highest: Math.max(...rates) };
  const goals = server.startsWith('ours') ? checks : [];
  return { work: 'import', server, unit: 'rows/s', rate, ...spread, memoryMib, checks: goals };
}
