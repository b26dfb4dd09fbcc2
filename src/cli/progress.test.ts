import assert from 'node:assert/strict';
import test from 'node:test';
import { createProgressView, type WorkProgress } from './progress.ts';

function draw(isInteractive: boolean, steps: readonly (WorkProgress & { readonly atMs: number })[]): string {
  let text = '';
  let now = 0;
  const terminal = {
    stdout: () => assert.fail('progress is for people'),
    stderr: (piece: string) => {
      text += piece;
    },
    isInteractive,
    cwd: '/',
  };
  const view = createProgressView(terminal, { now: () => now });
  for (const { atMs, ...step } of steps) {
    now = atMs;
    view.show(step);
  }
  view.end();
  return text;
}

const steps = [0, 4, 5, 9, 31, 99, 100].map((percent) => ({
  bytesDone: percent * 10,
  bytesTotal: 1_000,
  rows: percent * 1_000,
  refused: percent > 9 ? 12 : 0,
  atMs: percent * 100,
}));

test('progress without a terminal has a line for each 5 percent, and one at the end', () => {
  assert.deepEqual(draw(false, steps).trimEnd().split('\n'), [
    '5 %, 5,000 rows, 10,000/s, 0 refused, 10 s left',
    '31 %, 31,000 rows, 10,000/s, 12 refused, 7 s left',
    '99 %, 99,000 rows, 10,000/s, 12 refused, 0 s left',
    '100 %, 100,000 rows, 10,000/s, 12 refused, 0 s left',
  ]);
});

test('progress on a terminal is shown on one line', () => {
  const drawn = draw(true, steps);
  const texts = drawn.split('\r\u001b[K').slice(1);
  assert.equal(texts.length, 7);
  assert.equal(texts[4], '31 %, 31,000 rows, 10,000/s, 12 refused, 7 s left');
  assert.equal(drawn.endsWith('0 s left\n'), true);
});

test('the speed and the remaining time are calculated from the current run', () => {
  const resumed = [
    { bytesDone: 500, bytesTotal: 1_000, rows: 50_000, refused: 0, atMs: 0 },
    { bytesDone: 600, bytesTotal: 1_000, rows: 60_000, refused: 0, atMs: 2_000 },
  ];
  assert.match(draw(false, resumed), /60 %, 60,000 rows, 5,000\/s, 0 refused, 8 s left/);
});
