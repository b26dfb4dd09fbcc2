import type { Clock } from '../kernel/clock.ts';
import { requireCaller, type Terminal } from './command.ts';

/** The progress of work in bytes and rows; `refused` is present if rows can be refused. */
export type WorkProgress = {
  readonly bytesDone: number;
  readonly bytesTotal: number;
  readonly rows: number;
  readonly refused?: number;
};

/** Shows progress: on one line of a terminal, otherwise a line for each 5 %. */
export type ProgressView = { show(step: WorkProgress): void; end(): void };

const drawEveryMs = 100;

/** A progress view on standard error. */
export function createProgressView(terminal: Terminal, clock: Clock): ProgressView {
  const startedAt = clock.now();
  let firstProgress: WorkProgress | undefined;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let printedPercent = 0;
  let isDrawn = false;
  return {
    show: (progress) => {
      requireCaller(terminal);
      firstProgress ??= progress;
      const now = clock.now();
      const text = progressText(progress, firstProgress, now - startedAt);
      const percent = percentOf(progress);
      if (terminal.isInteractive) {
        if (now - drawnAt < drawEveryMs && percent < 100) return;
        drawnAt = now;
        isDrawn = true;
        terminal.stderr(`${clearLineText(terminal)}${text}`);
      } else if (percent >= printedPercent + 5 || (percent === 100 && printedPercent < 100)) {
        printedPercent = percent - (percent % 5);
        terminal.stderr(`${text}\n`);
      }
    },
    end: () => {
      if (isDrawn) terminal.stderr('\n');
    },
  };
}

function percentOf({ bytesDone, bytesTotal }: WorkProgress): number {
  return bytesTotal === 0 ? 100 : Math.floor((bytesDone / bytesTotal) * 100);
}

/** The speed and the remaining time of this run; rows of an interrupted earlier run do not count. */
function progressText(progress: WorkProgress, first: WorkProgress, elapsedMs: number): string {
  const seconds = elapsedMs / 1000;
  const perSecond = seconds > 0 ? Math.round((progress.rows - first.rows) / seconds) : 0;
  const bytesDone = progress.bytesDone - first.bytesDone;
  const left = bytesDone > 0 ? (seconds * (progress.bytesTotal - progress.bytesDone)) / bytesDone : undefined;
  return [
    `${percentOf(progress)} %`,
    `${formatCount(progress.rows)} rows`,
    `${formatCount(perSecond)}/s`,
    progress.refused === undefined ? undefined : `${formatCount(progress.refused)} refused`,
    left === undefined ? undefined : `${formatSeconds(left)} left`,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** Shows on standard error how many of `total` rows are done. Ends with the last row. */
export function rowsProgress(terminal: Terminal, clock: Clock, total: number): (done: number) => void {
  const view = createProgressView(terminal, clock);
  return (done) => {
    view.show({ bytesDone: done, bytesTotal: total, rows: done });
    if (done === total) view.end();
  };
}

/** Shows on a terminal how many entries are done. Ends the command if its caller has ended. */
export function entriesProgress(terminal: Terminal): (done: number, total: number) => void {
  return (done, total) => {
    requireCaller(terminal);
    if (terminal.isInteractive) terminal.stderr(`\r${formatCount(done)} of ${formatCount(total)} entries`);
  };
}

/** The text that clears the progress line; empty if standard error is not a terminal. */
export function clearLineText({ isInteractive }: Terminal): string {
  return isInteractive ? '\r\u001b[K' : '';
}

/** A whole number for people, such as 12,345. */
export function formatCount(count: number): string {
  return count.toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A duration for people, such as `12 min`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}
