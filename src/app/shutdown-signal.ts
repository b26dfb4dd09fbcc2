import type { ShutdownSignal } from '../cli/backup.ts';

const signals = ['SIGTERM', 'SIGINT'] as const;

/** Hears that somebody wants this process to end; told once more, by whichever signal, it ends at once. */
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
