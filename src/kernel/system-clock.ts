import { randomFillSync } from 'node:crypto';
import type { Clock, RandomBytes } from './clock.ts';

/** The machine's clock, for the running server; tests use their own. */
export const systemClock: Clock = { now: () => Date.now() };

/** Starts at the system time and then never jumps, for durations between two instants. */
export const monotonicClock: Clock = { now: () => Math.floor(performance.timeOrigin + performance.now()) };

/** A call of `randomFillSync` costs about as much for 8 KiB as for 16 bytes, and a request needs about six values. */
const pool = new Uint8Array(8_192);
let used = pool.length;

/**
 * Random bytes of `node:crypto`, for the running server. Values of less than 32 bytes come from a pool, each byte once; it is
 * overwritten when it is given out. Keys have 32 bytes or more, and never come from the pool.
 */
export const systemRandom: RandomBytes = (bytes) => {
  if (bytes >= 32) return randomFillSync(new Uint8Array(bytes));
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const taken = Buffer.from(pool.subarray(used, used + bytes));
  pool.fill(0, used, used + bytes);
  used += bytes;
  return taken;
};
