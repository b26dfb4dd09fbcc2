import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Settings } from '../config/settings.ts';
import type { Clock } from '../kernel/clock.ts';
import { erasedListFileName } from '../ledger/erased-list.ts';
import { createBackup } from './backup-create.ts';
import type { BackupProgress } from './backup-documents.ts';
import { restoreBackup } from './backup-restore.ts';
import { verifyBackup, type WithTrial } from './backup-verify.ts';
import { type Command, CommandFailed, type ExitCode, singlePositional, type Terminal } from './command.ts';
import { clearLineText } from './progress.ts';
import { openScratchFolder } from './scratch-folder.ts';

/** The dependencies of the backup commands. */
export type BackupDeps = {
  readonly settings: () => Settings;
  readonly clock: Clock;
  readonly rootKeyPath: (settings: Settings) => string;
  readonly withTrial: WithTrial;
  readonly listenForShutdown: () => ShutdownSignal;
};

/** `received` resolves when the process should end, such as on SIGTERM. Disposing it stops listening. */
export type ShutdownSignal = Disposable & { readonly received: Promise<void> };

/** `backup create`, `backup verify` and `backup restore`, for SQLite. A backup does not contain the root key. */
export function backupCommands(deps: BackupDeps, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'backup create',
      usage: 'backup create FOLDER [--since EARLIER]',
      summary: 'Copies the database, documents and ledger anchor into a new folder, while the server runs.',
      details: createDetails,
      run: async (args) => await create(args, deps, terminal),
    },
    {
      name: 'backup verify',
      usage: 'backup verify FOLDER [--quick] [--scratch FOLDER] [--json]',
      summary:
        'Restores a backup for a trial and checks that it is complete, can be decrypted, and has the signed ledger.',
      details: verifyDetails,
      run: async (args) => await verify(args, deps, terminal),
    },
    {
      name: 'backup restore',
      usage: 'backup restore FOLDER',
      summary: 'Restores a backup into an empty DATA_DIR and DOCUMENT_STORE.',
      details: restoreDetails,
      run: async (args) => await restore(args, deps, terminal),
    },
  ];
}

const createDetails = `FOLDER must be new or empty. The root key (ROOT_KEY_FILE, or root.key in DATA_DIR) authenticates the backup and is not in
it: keep a copy of the key elsewhere.

  --since EARLIER  Hard-links documents that are in an earlier backup on the same disk, instead of copying them.

For PostgreSQL use its own tools, and copy the documents after the dump: docs/operate/backup.md#backup-and-restore.`;

const verifyDetails = `It needs the root key (ROOT_KEY_FILE, or root.key in DATA_DIR), and free disk space for a copy of the database.
The backup is not changed.

  --quick           Reads only the record and the end of each document.
  --scratch FOLDER  The folder for the copy of the database. Default: the temporary folder of the system.
  --json            Prints the result as JSON.

The exit code is 0 if the backup can be restored. Otherwise it is 1, and the faults are printed.`;

const restoreDetails = `It needs the root key that was used when the backup was created (ROOT_KEY_FILE, or root.key in DATA_DIR). Put your
newest copy of the file ${erasedListFileName} into DATA_DIR first: the first start erases the citizens on that list again.`;

async function create(args: readonly string[], deps: BackupDeps, terminal: Terminal): Promise<ExitCode> {
  const options = { since: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const folder = resolve(terminal.cwd, singlePositional(positionals, 'name one folder'));
  const earlier = values.since === undefined ? undefined : resolve(terminal.cwd, values.since);
  const onProgress = progressOn(terminal);
  const settings = deps.settings();
  const rootKeyPath = deps.rootKeyPath(settings);
  const manifest = await createBackup(settings, { folder, earlier, rootKeyPath, clock: deps.clock, onProgress });
  const { database, documents, rootKeys, missing } = manifest;
  const documentsText =
    documents === null ? 'the documents are in S3' : `${documents.count} documents, ${documents.bytes} bytes`;
  terminal.stderr(`${clearLineText(terminal)}${folder}: the database, ${database.bytes} bytes; ${documentsText}\n`);
  terminal.stderr(
    `It does not contain the root key that opens it: ${rootKeys.join(', ')}. Check it with: backup verify\n`,
  );
  if (missing.length === 0) return 0;
  terminal.stderr(
    `It is complete, but DOCUMENT_STORE has no content for ${missing.length} documents, such as ${missing[0]}: run documents verify\n`,
  );
  return 1;
}

async function verify(args: readonly string[], deps: BackupDeps, terminal: Terminal): Promise<ExitCode> {
  const options = { quick: { type: 'boolean' }, scratch: { type: 'string' }, json: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const folder = resolve(terminal.cwd, singlePositional(positionals, 'name one folder'));
  const parentFolder = resolve(terminal.cwd, values.scratch ?? tmpdir());
  // Listen before the scratch folder exists, so that a signal cannot leave it.
  using stop = deps.listenForShutdown();
  await using scratch = await openScratchFolder(parentFolder);
  const stopped = new AbortController();
  const ended = stop.received.then(() => {
    stopped.abort();
    throw new CommandFailed('stopped; the backup was not changed');
  });
  const settings = deps.settings();
  const verifying = verifyBackup(settings, {
    folder,
    scratch: scratch.path,
    quick: values.quick === true,
    rootKey: deps.rootKeyPath(settings),
    withTrial: deps.withTrial,
    stopped: stopped.signal,
    onProgress: (step) => terminal.isInteractive && terminal.stderr(`\r${step}\u001b[K`),
  });
  const { manifest, faults, ...counts } = await Promise.race([verifying, ended]);
  const { begunAt, program, rootKeys } = manifest;
  if (values.json === true) {
    terminal.stdout(`${JSON.stringify({ verified: faults.length === 0, begunAt, program, ...counts, faults })}\n`);
  } else for (const fault of faults) terminal.stdout(`${fault}\n`);
  const { citizens, documents, entries, leftovers } = counts;
  const more = leftovers === 0 ? '' : `, ${leftovers} leftovers of interrupted uploads`;
  const content = `${citizens} citizens, ${documents} documents, ${entries} ledger entries${more}`;
  const verdict = faults.length === 0 ? 'it can be restored' : `it has ${faults.length} faults`;
  terminal.stderr(`${clearLineText(terminal)}backup of ${begunAt}, root key ${rootKeys.join(', ')}: `);
  terminal.stderr(`${content}: ${verdict}\n`);
  return faults.length === 0 ? 0 : 1;
}

async function restore(args: readonly string[], deps: BackupDeps, terminal: Terminal): Promise<ExitCode> {
  const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
  const folder = resolve(terminal.cwd, singlePositional(positionals, 'name one folder'));
  const settings = deps.settings();
  const rootKeyPath = deps.rootKeyPath(settings);
  const options = { folder, rootKeyPath, onProgress: progressOn(terminal) };
  const { manifest, erasures } = await restoreBackup(settings, options);
  const { begunAt, rootKeys } = manifest;
  terminal.stderr(
    `${clearLineText(terminal)}Restored the backup of ${begunAt} into ${settings.dataDir}. It needs root key ${rootKeys.join(', ')} at ${rootKeyPath}. Before you start the server, read docs/operate/backup.md#backup-and-restore\n`,
  );
  terminal.stderr(
    erasures === undefined
      ? `There is no list of erased citizens in ${settings.dataDir}: citizens who were erased after the backup can be read again. If you have a copy of the file ${erasedListFileName}, put it there before you start the server.\n`
      : `The list of erased citizens has ${erasures.listed}: ${erasures.unfinished} of them are in this backup, and the first start erases them again.\n`,
  );
  return 0;
}

function progressOn({ isInteractive, stderr }: Terminal): (progress: BackupProgress) => void {
  return (progress) => {
    if (!isInteractive || (progress !== 'the database' && progress.count % 100 !== 0)) return;
    const text = progress === 'the database' ? progress : `${progress.count} documents, ${progress.bytes} bytes`;
    stderr(`\r${text}\u001b[K`);
  };
}
