import type { Timer } from './timer.ts';

/**
 * A signal that aborts a call after `ms` milliseconds. Dispose it when the call ends: a timer of `AbortSignal.timeout` would
 * stay for its whole time.
 */
export function startDeadline(timer: Timer, ms: number): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const cancel = timer(ms, () => controller.abort());
  return { signal: controller.signal, [Symbol.dispose]: cancel };
}
