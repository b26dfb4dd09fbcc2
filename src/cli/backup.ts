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
import { type Command, CommandFailed, type ExitCode, jsonOption, singlePositional, type Terminal } from './command.ts';
import { clearLineText } from './progress.ts';
import { openScratchFolder } from './scratch-folder.ts';

type BackupDeps = {
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
      summary: 'Copies the database, the documents and the ledger anchor into a new folder.',
      options: [
        {
          form: '--since EARLIER',
          meaning: 'Creates hard links to the documents of an earlier backup on the same disk, instead of copies.',
        },
      ],
      notes: createNotes,
      example: 'backup create /backups/2026-11-20 --since /backups/2026-11-19',
      run: async (args) => await create(args, deps, terminal),
    },
    {
      name: 'backup verify',
      usage: 'backup verify FOLDER [--quick] [--scratch FOLDER] [--json]',
      summary: 'Restores a backup as a test: checks that it is complete, can be decrypted, and has the signed ledger.',
      options: [
        { form: '--quick', meaning: 'Reads only the record and the end of each document.' },
        {
          form: '--scratch FOLDER',
          meaning: 'The folder for a copy of the database.',
          defaultValue: 'the temporary folder of the system',
        },
        jsonOption,
      ],
      notes: verifyNotes,
      example: 'backup verify /backups/2026-11-20',
      run: async (args) => await verify(args, deps, terminal),
    },
    {
      name: 'backup restore',
      usage: 'backup restore FOLDER',
      summary: 'Restores a backup into an empty DATA_DIR and DOCUMENT_STORE.',
      notes: restoreNotes,
      example: 'backup restore /backups/2026-11-20',
      run: async (args) => await restore(args, deps, terminal),
    },
  ];
}

const createNotes = `The server can run meanwhile. FOLDER must be new or empty. The root key (ROOT_KEY_FILE, or root.key in DATA_DIR) authenticates the backup and is not in it. Keep a copy of the key elsewhere.

For PostgreSQL use its own tools, and copy the documents after the dump: docs/operate/backup.md#backup-and-restore.`;

const verifyNotes = `It needs the root key (ROOT_KEY_FILE, or root.key in DATA_DIR), and free disk space for a copy of the database. It does not change the backup.

The exit code is 0 if the backup can be restored. Otherwise it is 1, and the command prints the faults.`;

const restoreNotes = `It needs the root key that was used when the backup was created (ROOT_KEY_FILE, or root.key in DATA_DIR). Put your newest copy of the file ${erasedListFileName} into DATA_DIR first: the first start erases the citizens on that list again.`;

async function create(args: readonly string[], deps: BackupDeps, terminal: Terminal): Promise<ExitCode> {
  const options = { since: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const folder = resolve(terminal.cwd, singlePositional(positionals, 'one folder'));
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
    `The backup needs root key ${rootKeys.join(', ')} and does not contain it. To check the backup, run "citizen-services backup verify". Then run "citizen-services backup record ${manifest.begunAt}".\n`,
  );
  if (missing.length === 0) return 0;
  terminal.stderr(
    `The backup is complete, but DOCUMENT_STORE has no content for ${missing.length} documents, such as ${missing[0]}. Run "citizen-services documents verify".\n`,
  );
  return 1;
}

async function verify(args: readonly string[], deps: BackupDeps, terminal: Terminal): Promise<ExitCode> {
  const options = { quick: { type: 'boolean' }, scratch: { type: 'string' }, json: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const folder = resolve(terminal.cwd, singlePositional(positionals, 'one folder'));
  const parentFolder = resolve(terminal.cwd, values.scratch ?? tmpdir());
  // Listen before the scratch folder exists, so that a signal cannot leave it.
  using stop = deps.listenForShutdown();
  await using scratch = await openScratchFolder(parentFolder);
  const stopped = new AbortController();
  const ended = stop.received.then(() => {
    stopped.abort();
    throw new CommandFailed('The check was stopped. The backup was not changed.');
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
  const verdict = faults.length === 0 ? 'it can be restored' : `it has ${faults.length} faults. Use another backup.`;
  terminal.stderr(`${clearLineText(terminal)}backup of ${begunAt}, root key ${rootKeys.join(', ')}: `);
  terminal.stderr(`${content}: ${verdict}\n`);
  return faults.length === 0 ? 0 : 1;
}

async function restore(args: readonly string[], deps: BackupDeps, terminal: Terminal): Promise<ExitCode> {
  const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
  const folder = resolve(terminal.cwd, singlePositional(positionals, 'one folder'));
  const settings = deps.settings();
  const rootKeyPath = deps.rootKeyPath(settings);
  const options = { folder, rootKeyPath, onProgress: progressOn(terminal) };
  const { manifest, erasures } = await restoreBackup(settings, options);
  const { begunAt, rootKeys } = manifest;
  terminal.stderr(
    `${clearLineText(terminal)}Restored the backup of ${begunAt} into ${settings.dataDir}. The server needs root key ${rootKeys.join(', ')} at ${rootKeyPath}. Before you start it, read docs/operate/backup.md#backup-and-restore\n`,
  );
  terminal.stderr(
    erasures === undefined
      ? `${settings.dataDir} has no list of erased citizens, so citizens who were erased after the backup are readable again. If you have a copy of the file ${erasedListFileName}, put it there before you start the server.\n`
      : `The list of erased citizens has ${erasures.listed} entries. ${erasures.unfinished} of them are in this backup: the first start erases them again.\n`,
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
