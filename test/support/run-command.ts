import { commandLine } from '../../src/app/command-line.ts';
import type { CommandResult, ServerFixture } from './server-process.ts';

/** Runs one command of the command line like `ServerFixture.runCommand`, but in this process. For the setup of tests. */
export async function runCommandInProcess(
  { environment }: Pick<ServerFixture, 'environment'>,
  ...args: readonly string[]
): Promise<CommandResult> {
  const written = { stdout: '', stderr: '' };
  // Each command creates a log, which adds a listener for the end of the process.
  process.setMaxListeners(0);
  // The program does the same: only the owner can read the files that it writes.
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
