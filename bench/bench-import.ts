import { join } from 'node:path';
import { firstMessage, fork } from './child.ts';
import { writeRegister } from './citizens.ts';
import { engines, type Ground, newHouse } from './ground.ts';
import type { ImportFigures } from './import-register.ts';
import { median } from './measure.ts';
import { importRegister } from './our-server.ts';
import type { Check, Result } from './result.ts';

const goalRowsPerSecond = 50_000;
const goalMib = 256;

/** Imports the register into new installations, in turns with csv-parse alone. */
export async function benchImport(ground: Ground, rounds: number): Promise<Result[]> {
  const figures = new Map<string, ImportFigures[]>();
  const add = (name: string, one: ImportFigures) => {
    figures.set(name, [...(figures.get(name) ?? []), one]);
    const cpu = one.cpuUs === undefined ? '' : `, ${describeCpu(one.cpuUs)}`;
    ground.note(`import: ${name} ${Math.round(one.rows / one.seconds)}${cpu}`);
  };
  // Once with few, so that no round strips types: the command does that at its first start only, and built never.
  const few = join(ground.folder, 'few.csv');
  await writeRegister(few, 10);
  for (const engine of engines) await importRegister(await newHouse(ground, engine), few);
  for (let round = 0; round < rounds; round += 1) {
    add('csv-parse alone', await readAlone(ground.register));
    for (const engine of engines) {
      add(`ours, ${engine}`, await importRegister(await newHouse(ground, engine), ground.register));
    }
  }
  return [...figures].map(([server, own]) => toResult(server, own));
}

function describeCpu({ main, others }: NonNullable<ImportFigures['cpuUs']>): string {
  return `${main.toFixed(1)} µs CPU a row on the main thread, ${others.toFixed(1)} on others`;
}

async function readAlone(path: string): Promise<ImportFigures> {
  const child = fork(join(import.meta.dirname, 'baselines/csv-alone.ts'), { args: [path] });
  // What csv-alone.ts sends.
  const figures = (await firstMessage(child)) as ImportFigures;
  await child.stop();
  return figures;
}

function toResult(server: string, own: readonly ImportFigures[]): Result {
  const rates = own.map(({ rows, seconds }) => rows / seconds);
  const rate = median(rates) ?? Number.NaN;
  const memoryMib = Math.max(...own.map(({ peakMib }) => peakMib));
  const checks: Check[] = [
    { what: 'rows a second', figure: rate, goal: goalRowsPerSecond, by: 'at least' },
    { what: 'MiB', figure: memoryMib, goal: goalMib, by: 'at most' },
  ];
  const spread = { lowest: Math.min(...rates), highest: Math.max(...rates) };
  const goals = server.startsWith('ours') ? checks : [];
  return { work: 'import', server, unit: 'rows/s', rate, ...spread, memoryMib, checks: goals };
}
