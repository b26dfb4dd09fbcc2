import type { Writable } from 'node:stream';
import type { Terminal } from './command.ts';

/** Standard output of this process, for data. */
export type StandardOutput = Required<Pick<Terminal, 'stdout' | 'hasLeft'>> & {
  /** Resolves when all that was printed is written or lost: whether nothing is lost that somebody has to know of. */
  flushed(): Promise<boolean>;
};

/**
 * A reader may stop reading, as `head` does: the rest is left out, and nobody is told. What has no room is told once by `tell`;
 * and of what is printed only this once, in either case, what to do without it.
 */
export function createStandardOutput(stream: Writable, printError: Terminal['stderr']): StandardOutput {
  let [isClosed, isComplete] = [false, true];
  const onWriteFailed = (fault: NodeJS.ErrnoException | undefined, otherwise: string | undefined) => {
    const hasNoRoom = fault !== undefined && fault.code !== 'EPIPE' && !isClosed;
    isClosed = true;
    if (hasNoRoom) printError(`Standard output cannot be written, what is missing there is lost: ${fault.message}\n`);
    if (otherwise !== undefined) printError(otherwise);
    if (hasNoRoom || otherwise !== undefined) isComplete = false;
  };
  // Each write tells of its own.
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
