import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, type TestContext } from 'node:test';
import { commandLine } from '../../src/app/command-line.ts';
import { listBackupDocuments } from '../../src/cli/backup-documents.ts';
import { fileDigest } from '../../src/cli/backup-file.ts';
import { anchorDigest, documentsFolder } from '../../src/cli/backup-folder.ts';
import { authenticateManifest, deriveManifestKey } from '../../src/cli/backup-manifest.ts';
import { demoCitizens } from '../../src/cli/demo-data.ts';
import { personas } from '../../src/cli/personas.ts';
import { readRootKey } from '../../src/crypto/root-key-file.ts';
import { databaseFile } from '../../src/db/open-database.ts';
import { undefinedIfMissing } from '../../src/kernel/undefined-if-missing.ts';
import { anchorFileName } from '../../src/ledger/anchor.ts';
import { copyDataDir } from './doctor.ts';
import { runCommandInProcess } from './run-command.ts';
import {
  type CleanupScope,
  makeServerFixture,
  runDemoOnce,
  type ServerFixture,
  waitUntilSigned,
} from './server-process.ts';
import { makeTestFolder } from './test-folder.ts';

/** The number of citizens in the register of a demo. */
export const demoCitizenCount: number = demoCitizens.length + personas.length;

/** The absolute paths of all files in a folder and its subfolders. */
export const absoluteFilesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Changes a backup. The root key allows to write a valid manifest for it. */
export type BackupChange = (folder: string, rootKeyPath: string) => Promise<void> | void;

/** Changes the database of a backup and updates the manifest. */
export const changeBackupDatabase =
  (change: (db: DatabaseSync) => void) => async (folder: string, rootKeyPath: string) => {
    {
      using db = new DatabaseSync(join(folder, databaseFile));
      change(db);
    }
    await rewriteManifest(folder, rootKeyPath);
  };

export const readBackupManifest = (folder: string) => JSON.parse(readFileSync(join(folder, 'backup.json'), 'utf8'));

/** Rewrites the manifest for the present content of a backup, with a valid code. */
export async function rewriteManifest(folder: string, rootKeyPath: string, overrides: object = {}): Promise<void> {
  const { code: _, ...before } = readBackupManifest(folder);
  const anchor = await undefinedIfMissing(readFile(join(folder, anchorFileName)));
  const manifest = {
    ...before,
    database: await fileDigest(join(folder, databaseFile)),
    anchor: anchorDigest(anchor),
    documents: await listBackupDocuments(join(folder, documentsFolder)),
    ...overrides,
  };
  writeFileSync(
    join(folder, 'backup.json'),
    JSON.stringify(authenticateManifest(manifest, deriveManifestKey(manifest.rootKeys, readRootKey(rootKeyPath)))),
  );
}

/** A stopped installation before and after its last run, its backup, and the id of a document with many chunks. */
export type BackupFixture = { olderDataDir: string; dataDir: string; backupDir: string; largeDocumentId: string };

async function depositLargeDocument(home: ServerFixture): Promise<string> {
  const headers = {
    authorization: `Bearer ${await home.fetchAccessToken()}`,
    'content-type': 'text/plain',
    'citizen-id': 'demo-mary',
    'document-title': 'Plan',
    purpose: 'permit',
    'legal-basis': 'Permit Act',
  };
  const body = Buffer.alloc(300_000, 'a plan. ');
  const answer = await fetch(`${home.url}/v1/documents`, { method: 'POST', headers, body });
  assert.equal(answer.status, 201, await answer.clone().text());
  return ((await answer.json()) as { readonly id: string }).id;
}

export const rootKeyPathOf = ({ dataDir }: BackupFixture): string => join(dataDir, 'root.key');

/** Creates the fixture before the tests of a file. Call it at the top of the file; the paths are empty until then. */
export function makeBackupFixture(thisFile: CleanupScope): Readonly<BackupFixture> {
  const fixture: BackupFixture = { olderDataDir: '', dataDir: '', backupDir: '', largeDocumentId: '' };
  before(async () => {
    const home = await makeServerFixture(thisFile);
    const server = await home.start('demo');
    fixture.largeDocumentId = await depositLargeDocument(home);
    await waitUntilSigned(home);
    await server.stop('SIGTERM');
    fixture.olderDataDir = copyDataDir(thisFile, home.dataDir);
    assert.equal(
      (await runCommandInProcess(home, 'clients', 'create', 'More', '--scopes', 'identity:verify', '--secret')).code,
      0,
    );
    await runDemoOnce(home);
    fixture.dataDir = copyDataDir(thisFile, home.dataDir);
    fixture.backupDir = join(fixture.dataDir, '..', 'made');
    assert.equal((await runCommandInProcess(home, 'backup', 'create', fixture.backupDir)).code, 0);
  });
  return fixture;
}

/** A copy of the backup and an empty folder next to it, both writable for every user. */
export function copyBackup(t: TestContext, { backupDir }: BackupFixture) {
  const workDir = makeTestFolder('cs-backups-');
  t.after(() => rmSync(workDir, { recursive: true, force: true }));
  const [folder, restoreDir] = [join(workDir, 'backup'), join(workDir, 'place')];
  cpSync(backupDir, folder, { recursive: true, preserveTimestamps: true });
  mkdirSync(restoreDir);
  for (const path of [workDir, restoreDir]) chmodSync(path, 0o777);
  return { deps: workDir, folder, place: restoreDir };
}

/** Runs a `backup` command for a data folder in this process, with the root key of the installation. */
export async function runBackup(
  fixture: BackupFixture,
  dataDir: string | { readonly DATA_DIR: string; readonly [setting: string]: string },
  ...args: readonly string[]
) {
  const output: string[] = [];
  const write = (text: string) => void output.push(text);
  const terminal = { stdout: write, stderr: write, isInteractive: false, cwd: '/' };
  const dataSettings = typeof dataDir === 'string' ? { DATA_DIR: dataDir } : dataDir;
  const settings = { ROOT_KEY_FILE: rootKeyPathOf(fixture), ...dataSettings };
  const code = await commandLine(['backup', ...args], settings, terminal);
  return { code, output: output.join('') };
}

/** The same as another user, who owns only a copy of the root key in the work folder. */
export function runBackupAsOtherUser(
  fixture: BackupFixture,
  workDir: string,
  dataDir: string,
  ...args: readonly string[]
) {
  const key = join(workDir, 'root.key');
  cpSync(rootKeyPathOf(fixture), key);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(key, 65_534, 65_534);
  const main = join(import.meta.dirname, '../../src/main.ts');
  const { status, stderr } = spawnSync(process.execPath, [main, 'backup', ...args], {
    env: { DATA_DIR: dataDir, ROOT_KEY_FILE: key },
    cwd: '/',
    encoding: 'utf8',
    ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
  });
  return { code: status, stderr };
}
