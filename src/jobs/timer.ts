/** Calls `call` once after `delayMs`, and returns a function that cancels it. Injected, so that tests control time. */
export type Timer = (delayMs: number, call: () => void) => () => void;

const neverNotified = new Int32Array(new SharedArrayBuffer(4));

let totalBlockedMs = 0;

/** Stops this thread for so many milliseconds, exact to a tenth; only for fractions of one. */
export function blockingSleep(ms: number): void {
  const startedAt = performance.now();
  Atomics.wait(neverNotified, 0, 0, ms);
  totalBlockedMs += performance.now() - startedAt;
}

/** For how many milliseconds this thread has been stopped by `systemNap` so far. */
export const blockedMs = (): number => totalBlockedMs;

/** The machine's timer, for the running server; tests use a virtual one. */
export const systemTimer: Timer = (delayMs, call) => {
  const timeout = setTimeout(call, delayMs);
  return () => clearTimeout(timeout);
};
