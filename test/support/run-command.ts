import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { commandLine } from '../../src/app/command-line.ts';
import type { ClientsContext } from '../../src/cli/client-flags.ts';
import { clientCommands } from '../../src/cli/clients.ts';
import { runCommandLine } from '../../src/cli/command.ts';
import { rootKeyFromBytes } from '../../src/crypto/root-key.ts';
import { createIdGenerator } from '../../src/kernel/id.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createCitizenKeys } from '../../src/ledger/citizen-keys.ts';
import { createCommitter } from '../../src/ledger/commit.ts';
import { type Engine, engines } from './database-engines.ts';
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

/** The events that have no number yet, oldest first, without their ids. */
export async function readPendingEvents({
  db,
}: Awaited<ReturnType<typeof openClientCommands>>): Promise<Record<string, unknown>[]> {
  const rows = await db.read('select content from ledger_event order by id');
  return rows.map((row) => {
    const { id: _id, ...content } = JSON.parse(Buffer.from(row['content'] as Uint8Array).toString());
    return content;
  });
}

/** The commands about clients, or other commands with the same dependencies, on one database with a frozen clock. */
export async function openClientCommands(
  t: TestContext,
  engine: Engine | undefined = engines[0],
  commandsOf: typeof clientCommands = clientCommands,
) {
  assert.ok(engine);
  const db = await engine.open(t);
  const clock = { at: Date.UTC(2026, 10, 20, 9), now: () => clock.at };
  const citizenKeys = createCitizenKeys(db.read, rootKeyFromBytes(new Uint8Array(32)), systemRandom);
  const commit = createCommitter({ db, citizenKeys, random: systemRandom }).commit;
  const hooks: { beforeCommit?: (() => Promise<void>) | undefined } = {};
  const deps: ClientsContext = {
    settings: { webhookPrivateTargets: false },
    read: db.read,
    commit: async (unit) => {
      await hooks.beforeCommit?.();
      return await commit(unit);
    },
    clock,
    root: rootKeyFromBytes(new Uint8Array(32)),
    random: systemRandom,
    createId: createIdGenerator(clock, systemRandom),
    operator: 'root',
  };
  const run = async (...args: string[]) => {
    const output = { code: 0, stdout: '', stderr: '' };
    const terminal = {
      stdout: (text: string) => {
        output.stdout += text;
      },
      stderr: (text: string) => {
        output.stderr += text;
      },
      isInteractive: false,
      cwd: '/',
    };
    output.code = await runCommandLine(
      args,
      commandsOf((use) => use(deps), terminal),
      terminal,
    );
    return output;
  };
  return { db, clock, hooks, run };
}
