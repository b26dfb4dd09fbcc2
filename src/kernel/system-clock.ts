import { randomFillSync } from 'node:crypto';
import type { Clock, RandomBytes } from './clock.ts';

/** The machine's clock, for the running server; tests use their own. */
export const systemClock: Clock = { now: () => Date.now() };

/** Starts at the system time and then never jumps, for durations between two instants. */
export const monotonicClock: Clock = { now: () => Math.floor(performance.timeOrigin + performance.now()) };

/** Random bytes of `node:crypto`, for the running server. */
export const systemRandom: RandomBytes = (bytes) => randomFillSync(new Uint8Array(bytes));
