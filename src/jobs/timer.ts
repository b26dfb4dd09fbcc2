/** Calls `call` once after `delayMs`, and returns a function that cancels it. Injected, so that tests control time. */
export type Timer = (delayMs: number, call: () => void) => () => void;

/** The machine's timer, for the running server; tests use a virtual one. */
export const systemTimer: Timer = (delayMs, call) => {
  const timeout = setTimeout(call, delayMs);
  return () => clearTimeout(timeout);
};
