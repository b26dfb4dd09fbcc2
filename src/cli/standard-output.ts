import type { Writable } from 'node:stream';
import type { Terminal } from './command.ts';

/** The standard output of this process, for data. */
type StandardOutput = Required<Pick<Terminal, 'stdout' | 'hasLeft'>> & {
  /** Resolves when all output is written or lost. False if lost output must be reported by the exit code. */
  flushed(): Promise<boolean>;
};

/**
 * If the reader stops, as `head` does, the rest is dropped silently. A full disk is reported once. In both cases the `otherwise`
 * text of lost output that is shown only once is reported.
 */
export function createStandardOutput(stream: Writable, printError: Terminal['stderr']): StandardOutput {
  let [isClosed, isComplete] = [false, true];
  const onWriteFailed = (fault: NodeJS.ErrnoException | undefined, otherwise: string | undefined) => {
    const hasNoRoom = fault !== undefined && fault.code !== 'EPIPE' && !isClosed;
    isClosed = true;
    if (hasNoRoom) printError(`Cannot write standard output, so a part of it is lost: ${fault.message}\n`);
    if (otherwise !== undefined) printError(otherwise);
    if (hasNoRoom || otherwise !== undefined) isComplete = false;
  };
  // The callback of each write reports its own error.
  stream.on('error', () => undefined);
  return {
    stdout: (text, otherwise) => {
      if (isClosed) onWriteFailed(undefined, otherwise);
      else stream.write(text, (fault) => void (fault && onWriteFailed(fault, otherwise)));
    },
    hasLeft: () => isClosed,
    flushed: async () => {
      if (!isClosed) await new Promise((resolve) => stream.write('', resolve));
      return isComplete;
    },
  };
}
