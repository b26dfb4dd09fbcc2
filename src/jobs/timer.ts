/** Calls `call` once after that many milliseconds, and gives what cancels it. Given like the clock, so that tests set it. */
export type Timer = (delayMs: number, call: () => void) => () => void;

/** The machine's timer, for the running server; tests bring a virtual one. */
export const systemTimer: Timer = (delayMs, call) => {
  const timeout = setTimeout(call, delayMs);
  return () => clearTimeout(timeout);
};
