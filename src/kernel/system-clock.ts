import { randomFillSync } from 'node:crypto';
import type { Clock, Random } from './clock.ts';

/** The machine's clock, for the running server; tests bring their own. */
export const systemClock: Clock = { now: () => Date.now() };

/** The operating system's random source, for the running server; tests bring their own. */
export const systemRandom: Random = (bytes) => randomFillSync(new Uint8Array(bytes));
