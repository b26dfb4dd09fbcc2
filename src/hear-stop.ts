import type { Stop } from './cli/backup.ts';

const signals = ['SIGTERM', 'SIGINT'] as const;

/** Hears that somebody wants this process to end; told once more, by whichever signal, it ends at once. */
export function hearStop(): Stop {
  const { promise: told, resolve } = Promise.withResolvers<void>();
  const hearNoMore = () => {
    for (const signal of signals) process.off(signal, stop);
  };
  const stop = () => {
    hearNoMore();
    resolve();
  };
  for (const signal of signals) process.on(signal, stop);
  return { told, [Symbol.dispose]: hearNoMore };
}
