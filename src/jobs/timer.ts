/** Calls `call` once after that many milliseconds, and gives what cancels it. Given like the clock, so that tests set it. */
export type Timer = (delayMs: number, call: () => void) => () => void;

const never = new Int32Array(new SharedArrayBuffer(4));

/** Stops this thread for so many milliseconds, exact to a tenth; only for fractions of one. */
export function systemNap(ms: number): void {
  Atomics.wait(never, 0, 0, ms);
}

/** The machine's timer, for the running server; tests bring a virtual one. */
export const systemTimer: Timer = (delayMs, call) => {
  const timeout = setTimeout(call, delayMs);
  return () => clearTimeout(timeout);
};
