import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { median } from './measure.ts';
import { type BenchResult, meetsGoal } from './result.ts';

/** The properties of the machine that affect the figures of a run. */
export type MachineDescription = Readonly<Record<'cores' | 'memoryGib' | 'fdatasyncMs', number>> &
  Readonly<Record<'processor' | 'node' | 'sqlite' | 'postgres', string>>;

/** Describes the machine of this run. `postgres` is the version of the server. */
export function describeMachine(postgres: string): MachineDescription {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
    memoryGib: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    sqlite: process.versions['sqlite'] ?? 'unknown',
    postgres,
    fdatasyncMs: syncMs(),
  };
}

/** The median time (ms) of a sync after appending 4 KiB, on the disk of the bench databases. */
function syncMs(): number {
  const path = join(tmpdir(), `cs-bench-sync-${process.pid}`);
  const file = openSync(path, 'w');
  const block = Buffer.alloc(4_096, 1);
  const times = Array.from({ length: 200 }, () => {
    writeSync(file, block);
    const before = performance.now();
    fdatasyncSync(file);
    return performance.now() - before;
  });
  closeSync(file);
  rmSync(path);
  return median(times) ?? Number.NaN;
}

const columns = ['work', 'server', 'median (lowest–highest)', 'p50 ms', 'p99 ms', 'CPU ms', 'DB CPU', 'MiB', 'goals'];

/** The results as a Markdown table with aligned columns. */
export function resultsTable(results: readonly BenchResult[]): string {
  const rows = [columns, ...results.map(rowOf)];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => (isTextColumn(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (isTextColumn(column) ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(columns), rule, ...rows.slice(1).map(line)].join('\n');
}

function isTextColumn(column: number): boolean {
  return column < 2 || column === columns.length - 1;
}

function rowOf(result: BenchResult): string[] {
  const { work, server, unit, rate, lowest, highest } = result;
  const checks = result.checks.map((check) => {
    const { what, figure, goal, by } = check;
    const sign = by === 'at least' ? '≥' : '≤';
    return `${meetsGoal(check) ? 'yes' : 'NO'}: ${formatFigure(figure)} ${what} (${sign} ${formatFigure(goal)})`;
  });
  return [
    ...[work, server, `${formatFigure(rate)} ${unit} (${formatFigure(lowest)}–${formatFigure(highest)})`],
    ...[result.p50, result.p99, result.serverCpu, result.databaseCpu, result.memoryMib].map((figure) =>
      figure === undefined ? '' : formatFigure(figure),
    ),
    checks.join('; '),
  ];
}

/** At least three significant digits, with thousands separators. */
function formatFigure(figure: number): string {
  if (figure >= 100) return Math.round(figure).toLocaleString('en-US');
  return figure >= 10 ? figure.toFixed(1) : figure >= 1 ? figure.toFixed(2) : figure.toFixed(3);
}
