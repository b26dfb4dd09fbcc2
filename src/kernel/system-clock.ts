import { randomFillSync } from 'node:crypto';
import type { Clock, RandomBytes } from './clock.ts';

/** The machine's clock, for the running server; tests bring their own. */
export const systemClock: Clock = { now: () => Date.now() };

/** The same for what is counted between instants: it goes on evenly from where the machine's clock stood at the start. */
export const monotonicClock: Clock = { now: () => Math.floor(performance.timeOrigin + performance.now()) };

const randomPool = new Uint8Array(8_192);
let usedPoolBytes = randomPool.length;

/**
 * The operating system's random source, for the running server; tests bring their own. Small requests are cut from a
 * pool filled in one system call, each byte given out once and wiped behind; keys are taken from the source directly.
 */
export const systemRandom: RandomBytes = (bytes) => {
  if (bytes >= 32) return randomFillSync(new Uint8Array(bytes));
  if (usedPoolBytes + bytes > randomPool.length) {
    randomFillSync(randomPool);
    usedPoolBytes = 0;
  }
  // Copied into node's pool of small buffers: memory of its own for each would be work for the collector.
  const taken = Buffer.from(randomPool.subarray(usedPoolBytes, usedPoolBytes + bytes));
  randomPool.fill(0, usedPoolBytes, usedPoolBytes + bytes);
  usedPoolBytes += bytes;
  return taken;
};
