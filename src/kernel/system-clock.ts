import { randomFillSync } from 'node:crypto';
import type { Clock, Random } from './clock.ts';

/** The machine's clock, for the running server; tests bring their own. */
export const systemClock: Clock = { now: () => Date.now() };

/** The same for what is counted between instants: it goes on evenly from where the machine's clock stood at the start. */
export const steadyClock: Clock = { now: () => Math.floor(performance.timeOrigin + performance.now()) };

const pool = new Uint8Array(8_192);
let used = pool.length;

/**
 * The operating system's random source, for the running server; tests bring their own. Small requests are cut from a
 * pool filled in one system call, each byte given out once and wiped behind; keys are taken from the source directly.
 */
export const systemRandom: Random = (bytes) => {
  if (bytes >= 32) return randomFillSync(new Uint8Array(bytes));
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  // Copied into node's pool of small buffers: memory of its own for each would be work for the collector.
  const taken = Buffer.from(pool.subarray(used, used + bytes));
  pool.fill(0, used, used + bytes);
  used += bytes;
  return taken;
};
