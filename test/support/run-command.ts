import { commandLine } from '../../src/app/command-line.ts';
import type { CommandResult, ServerFixture } from './server-process.ts';

/** Runs one command of the command line as `home.run` does, in this process: for what comes before a test or besides it. */
export async function runCommandInProcess(
  { environment }: Pick<ServerFixture, 'environment'>,
  ...args: readonly string[]
): Promise<CommandResult> {
  const written = { stdout: '', stderr: '' };
  // As each program has one, each has a log, which waits for the end of the process.
  process.setMaxListeners(0);
  // As the program does: what it writes is for its owner alone.
  process.umask(0o077);
  const code = await commandLine(args, environment, {
    stdout: (text) => {
      written.stdout += text;
    },
    stderr: (text) => {
      written.stderr += text;
    },
    isInteractive: false,
    cwd: process.cwd(),
  });
  return { code, ...written };
}
