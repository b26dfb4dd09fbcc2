import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualTime } from '../../test/support/virtual-time.ts';
import { createClaimBackOff } from './claim-back-off.ts';

function set() {
  const time = createVirtualTime(0);
  let over = 0;
  const pauses = createClaimBackOff(time.timer, () => {
    over += 1;
  });
  /** The length of the pause after a claim whose jobs ended like this. */
  const pauseAfter = async (...jobs: boolean[]) => {
    const ended = pauses.trackClaim(jobs.length);
    for (const succeeded of jobs) ended(succeeded);
    let ms = 0;
    for (; pauses.isPaused(); ms += 1) await time.advance(1, async () => undefined);
    return ms;
  };
  return { time, pauses, pauseAfter, over: () => over };
}

test('pauses double up to five seconds, and start again at the shortest after a job that succeeds', async () => {
  const { pauseAfter, over } = set();
  const seen: number[] = [];
  for (let claim = 0; claim < 9; claim += 1) seen.push(await pauseAfter(false, false));
  assert.deepEqual(seen, [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  assert.deepEqual([await pauseAfter(false, true, false), await pauseAfter(false), over()], [0, 50, 10]);
});

test('stop ends the current pause and prevents later ones', () => {
  const { time, pauses } = set();
  pauses.pause(1_000);
  pauses.pause(2_000);
  assert.deepEqual([pauses.isPaused(), time.pendingTimers()], [true, 1]);
  pauses.stop();
  pauses.pause(1_000);
  pauses.trackClaim(1)(false);
  assert.equal(time.pendingTimers(), 0);
});
