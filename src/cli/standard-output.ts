import type { Writable } from 'node:stream';
import type { Terminal } from './command.ts';

/** Standard output of this process, for data. */
export type StandardOutput = Required<Pick<Terminal, 'stdout' | 'hasLeft'>> & {
  /** Resolves when all that was printed is written or lost: whether nothing is lost that somebody has to know of. */
  whole(): Promise<boolean>;
};

/**
 * A reader may stop reading, as `head` does: the rest is left out, and nobody is told. What has no room is told once by `tell`;
 * and of what is printed only this once, in either case, what to do without it.
 */
export function createStandardOutput(stream: Writable, tell: Terminal['stderr']): StandardOutput {
  let [isOver, isWhole] = [false, true];
  const lose = (fault: NodeJS.ErrnoException | undefined, otherwise: string | undefined) => {
    const hasNoRoom = fault !== undefined && fault.code !== 'EPIPE' && !isOver;
    isOver = true;
    if (hasNoRoom) tell(`Standard output cannot be written, what is missing there is lost: ${fault.message}\n`);
    if (otherwise !== undefined) tell(otherwise);
    if (hasNoRoom || otherwise !== undefined) isWhole = false;
  };
  // Each write tells of its own.
  stream.on('error', () => undefined);
  return {
    stdout: (text, otherwise) => {
      if (isOver) lose(undefined, otherwise);
      else stream.write(text, (fault) => void (fault && lose(fault, otherwise)));
    },
    hasLeft: () => isOver,
    whole: async () => {
      if (!isOver) await new Promise((resolve) => stream.write('', resolve));
      return isWhole;
    },
  };
}
