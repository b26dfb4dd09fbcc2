import type { ShutdownSignal } from '../cli/backup.ts';

const signals = ['SIGTERM', 'SIGINT'] as const;

/** Resolves `received` at the first signal that ends a process. A second signal, of either kind, ends the process at once. */
export function listenForShutdown(): ShutdownSignal {
  const { promise: received, resolve } = Promise.withResolvers<void>();
  const removeListeners = () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  const onSignal = () => {
    removeListeners();
    resolve();
  };
  for (const signal of signals) process.on(signal, onSignal);
  return { received, [Symbol.dispose]: removeListeners };
}
