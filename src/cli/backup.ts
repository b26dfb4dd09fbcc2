import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Settings } from '../config/settings.ts';
import type { Clock } from '../kernel/clock.ts';
import { createBackup } from './backup-create.ts';
import type { BackupProgress } from './backup-documents.ts';
import { restoreBackup } from './backup-restore.ts';
import { verifyBackup, type WithTrial } from './backup-verify.ts';
import { type Command, type ExitCode, singlePositional, type Terminal } from './command.ts';
import { clearLineText } from './progress.ts';
import { openScratchFolder } from './scratch-folder.ts';

/** What the commands about backups need. */
export type BackupDeps = {
  readonly settings: () => Settings;
  readonly clock: Clock;
  readonly rootKeyPath: (settings: Settings) => string;
  readonly withTrial: WithTrial;
  readonly listenForShutdown: () => ShutdownSignal;
};

/** Somebody may want the process to end: `told` resolves then; after the disposal nobody listens any more. */
export type ShutdownSignal = Disposable & { readonly received: Promise<void> };

/** `backup create`, `backup verify`, `backup restore`: of an installation on SQLite, the root key left out. */
export function backupCommands(deps: BackupDeps, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'backup create',
      usage: 'backup create FOLDER [--since EARLIER]',
      summary: 'Copies database, documents and anchor of the ledger into a new folder, while the server runs.',
      details: createDetails,
      run: async (args) => await create(args, deps, terminal),
    },
    {
      name: 'backup verify',
      usage: 'backup verify FOLDER [--quick] [--scratch FOLDER] [--json]',
      summary:
        'Restores a backup on trial and reads all of it: does it open, is it whole, is its ledger the signed one?',
      details: verifyDetails,
      run: async (args) => await verify(args, deps, terminal),
    },
    {
      name: 'backup restore',
      usage: 'backup restore FOLDER',
      summary: 'Puts a backup into the DATA_DIR and DOCUMENT_STORE of the settings, in which nothing may be.',
      details: restoreDetails,
      run: async (args) => await restore(args, deps, terminal),
    },
  ];
}

const createDetails = `FOLDER is made, or is there and empty. The root key (ROOT_KEY_FILE, or root.key in DATA_DIR) proves it and is not in it:
keep that elsewhere.

  --since EARLIER  Documents that are in an earlier backup on the same disk are linked, not copied once more.

On PostgreSQL use its own tools, and copy the documents behind the dump: docs/operating.md#backup-and-restore.`;

const verifyDetails = `It needs the root key (ROOT_KEY_FILE, or root.key in DATA_DIR), and as much room as the database for as long as it runs.
The backup itself is not changed.

  --quick           Of each document its record and its end are read, not all bytes.
  --scratch FOLDER  Where the database is restored on trial; by default the system's folder for such files.
  --json            Prints the verdict as JSON.

Ends in 0 where all is well, in 1 where not, with what is wrong.`;

const restoreDetails = `It needs the root key of the time of the backup (ROOT_KEY_FILE, or root.key in DATA_DIR), which proves it.`;

async function create(args: readonly string[], deps: BackupDeps, terminal: Terminal): Promise<ExitCode> {
  const options = { since: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const folder = resolve(terminal.cwd, singlePositional(positionals, 'name one folder'));
  const earlier = values.since === undefined ? undefined : resolve(terminal.cwd, values.since);
  const onProgress = progressOn(terminal);
  const settings = deps.settings();
  const rootKeyPath = deps.rootKeyPath(settings);
  const manifest = await createBackup(settings, { folder, earlier, rootKeyPath, clock: deps.clock, onProgress });
  const { database, documents, rootKeys, missing } = manifest;
  const what =
    documents === null ? 'the documents lie in S3' : `${documents.count} documents, ${documents.bytes} bytes`;
  terminal.stderr(`${clearLineText(terminal)}${folder}: the database, ${database.bytes} bytes; ${what}\n`);
  terminal.stderr(`Not in it, and needed to open it: root key ${rootKeys.join(', ')}. Try it: backup verify\n`);
  if (missing.length === 0) return 0;
  terminal.stderr(
    `It holds all there is, but ${missing.length} documents have no bytes in DOCUMENT_STORE, ${missing[0]} among them: see documents verify\n`,
  );
  return 1;
}

async function verify(args: readonly string[], deps: BackupDeps, terminal: Terminal): Promise<ExitCode> {
  const options = { quick: { type: 'boolean' }, scratch: { type: 'string' }, json: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const folder = resolve(terminal.cwd, singlePositional(positionals, 'name one folder'));
  const parentFolder = resolve(terminal.cwd, values.scratch ?? tmpdir());
  // Heard from before there is anything that would be left.
  using stop = deps.listenForShutdown();
  await using scratch = await openScratchFolder(parentFolder);
  const stopped = new AbortController();
  const ended = stop.received.then(() => {
    stopped.abort();
    throw new Error('stopped; the backup is as it was');
  });
  const settings = deps.settings();
  const verifying = verifyBackup(settings, {
    ...{ folder, scratch: scratch.path, quick: values.quick === true },
    ...{ rootKey: deps.rootKeyPath(settings), withTrial: deps.withTrial, stopped: stopped.signal },
    onProgress: (what) => terminal.isInteractive && terminal.stderr(`\r${what}\u001b[K`),
  });
  const { manifest, faults, ...counts } = await Promise.race([verifying, ended]);
  const { begunAt, program, rootKeys } = manifest;
  if (values.json === true) {
    terminal.stdout(`${JSON.stringify({ verified: faults.length === 0, begunAt, program, ...counts, faults })}\n`);
  } else for (const fault of faults) terminal.stdout(`${fault}\n`);
  const { citizens, documents, entries, leftovers } = counts;
  const more = leftovers === 0 ? '' : `, ${leftovers} leftovers of uploads that broke off`;
  const found = `${citizens} citizens, ${documents} documents, ${entries} entries of the ledger${more}`;
  const verdict = faults.length === 0 ? 'it can be restored' : `NOT well: ${faults.length} faults`;
  terminal.stderr(`${clearLineText(terminal)}backup of ${begunAt}, root key ${rootKeys.join(', ')}: `);
  terminal.stderr(`${found}: ${verdict}\n`);
  return faults.length === 0 ? 0 : 1;
}

async function restore(args: readonly string[], deps: BackupDeps, terminal: Terminal): Promise<ExitCode> {
  const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
  const folder = resolve(terminal.cwd, singlePositional(positionals, 'name one folder'));
  const settings = deps.settings();
  const rootKeyPath = deps.rootKeyPath(settings);
  const options = { folder, rootKeyPath, onProgress: progressOn(terminal) };
  const { begunAt, rootKeys } = await restoreBackup(settings, options);
  terminal.stderr(
    `${clearLineText(terminal)}Restored the backup of ${begunAt} into ${settings.dataDir}. It needs root key ${rootKeys.join(', ')} at ${rootKeyPath}. Before you start: docs/operating.md#backup-and-restore\n`,
  );
  return 0;
}

function progressOn({ isInteractive, stderr }: Terminal): (at: BackupProgress) => void {
  return (at) => {
    if (!isInteractive || (at !== 'the database' && at.count % 100 !== 0)) return;
    stderr(`\r${at === 'the database' ? at : `${at.count} documents, ${at.bytes} bytes`}\u001b[K`);
  };
}
