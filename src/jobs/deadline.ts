import type { Timer } from './timer.ts';

/**
 * A signal that aborts a call after so many milliseconds, and ends with the call where that is sooner: one of
 * `AbortSignal.timeout` stays for its whole time, with its timer and all that listens to it.
 */
export function startDeadline(timer: Timer, ms: number): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const cancel = timer(ms, () => controller.abort());
  return { signal: controller.signal, [Symbol.dispose]: cancel };
}
