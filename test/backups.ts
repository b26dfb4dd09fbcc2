import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, type TestContext } from 'node:test';
import { listDocuments } from '../src/cli/backup-documents.ts';
import { digestOf } from '../src/cli/backup-file.ts';
import { digestOfAnchor, documentsFolder } from '../src/cli/backup-folder.ts';
import { manifestKey, proved } from '../src/cli/backup-manifest.ts';
import { demoCitizens } from '../src/cli/demo-town.ts';
import { personas } from '../src/cli/personas.ts';
import { commandLine } from '../src/command-line.ts';
import { ifThere } from '../src/kernel/if-there.ts';
import { readRootKey } from '../src/keys/root-key-file.ts';
import { anchorFile } from '../src/ledger/anchor.ts';
import { databaseFile } from '../src/store/open.ts';
import { copyOf } from './doctor.ts';
import { runHere } from './run-here.ts';
import { makeTestFolder } from './test-folder.ts';
import { startedOnce, untilSigned } from './until-signed.ts';
import { type Afterwards, makeHome, type ServerHome } from './whole-server.ts';

/** So many citizens the register of a demo has. */
export const demoPopulation: number = demoCitizens.length + personas.length;

/** The paths of all files below a folder. */
export const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** A change of a backup, by somebody who has the root key in that file, so that its manifest proves what was made of it. */
export type Change = (folder: string, rootKeyPath: string) => Promise<void> | void;

/** Changes the database of a backup, and its manifest so that it fits. */
export const inDatabase = (change: (db: DatabaseSync) => void) => async (folder: string, rootKeyPath: string) => {
  {
    using db = new DatabaseSync(join(folder, databaseFile));
    change(db);
  }
  await fit(folder, rootKeyPath);
};

export const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'backup.json'), 'utf8'));

/** Writes into the manifest of a backup what there is by now, as `backup create` would with that root key. */
export async function fit(folder: string, rootKeyPath: string, members: object = {}): Promise<void> {
  const { code: _, ...before } = manifestIn(folder);
  const anchor = await ifThere(readFile(join(folder, anchorFile)));
  const manifest = {
    ...before,
    database: await digestOf(join(folder, databaseFile)),
    anchor: digestOfAnchor(anchor),
    documents: await listDocuments(join(folder, documentsFolder)),
    ...members,
  };
  writeFileSync(
    join(folder, 'backup.json'),
    JSON.stringify(proved(manifest, manifestKey(manifest.rootKeys, readRootKey(rootKeyPath)))),
  );
}

/** An installation that was stopped well, as it was before its last start and as it is, its backup, and a document of many chunks. */
export type Standing = { older: string; well: string; made: string; large: string };

async function depositLarge(home: ServerHome): Promise<string> {
  const headers = {
    authorization: `Bearer ${await home.token()}`,
    ...{ 'content-type': 'text/plain', 'citizen-id': 'demo-mary', 'document-title': 'Plan' },
    ...{ purpose: 'permit', 'legal-basis': 'Permit Act' },
  };
  const body = Buffer.alloc(300_000, 'a plan. ');
  const answer = await fetch(`${home.url}/v1/documents`, { method: 'POST', headers, body });
  assert.equal(answer.status, 201, await answer.clone().text());
  return ((await answer.json()) as { readonly id: string }).id;
}

export const rootKeyOf = ({ well }: Standing): string => join(well, 'root.key');

/** Makes them before the tests of the file that calls this at its top; until then the paths are empty. */
export function standingBackup(thisFile: Afterwards): Readonly<Standing> {
  const standing: Standing = { older: '', well: '', made: '', large: '' };
  before(async () => {
    const home = await makeHome(thisFile);
    const server = await home.start('demo');
    standing.large = await depositLarge(home);
    await untilSigned(home);
    await server.end('SIGTERM');
    standing.older = copyOf(thisFile, home.dataDir);
    assert.equal((await runHere(home, 'clients', 'create', 'More', '--scopes', 'identity:verify', '--secret')).code, 0);
    await startedOnce(home);
    standing.well = copyOf(thisFile, home.dataDir);
    standing.made = join(standing.well, '..', 'made');
    assert.equal((await runHere(home, 'backup', 'create', standing.made)).code, 0);
  });
  return standing;
}

/** A copy of the backup, and an empty folder beside it, both open to every user. */
export function roomOf(t: TestContext, { made }: Standing) {
  const room = makeTestFolder('cs-backups-');
  t.after(() => rmSync(room, { recursive: true, force: true }));
  const [folder, place] = [join(room, 'backup'), join(room, 'place')];
  cpSync(made, folder, { recursive: true, preserveTimestamps: true });
  mkdirSync(place);
  for (const path of [room, place]) chmodSync(path, 0o777);
  return { room, folder, place };
}

/** Runs `backup` over the data of that folder, in this process, with the root key of the installation. */
export async function runBackup(
  standing: Standing,
  dataDir: string | { readonly DATA_DIR: string; readonly [setting: string]: string },
  ...args: readonly string[]
) {
  const said: string[] = [];
  const write = (text: string) => void said.push(text);
  const terminal = { stdout: write, stderr: write, isInteractive: false, cwd: '/' };
  const given = typeof dataDir === 'string' ? { DATA_DIR: dataDir } : dataDir;
  const settings = { ROOT_KEY_FILE: rootKeyOf(standing), ...given };
  const code = await commandLine(['backup', ...args], settings, terminal);
  return { code, said: said.join('') };
}

/** The same as a user who owns nothing that is there but a copy of the root key, in that room. */
export function runBackupAsOther(standing: Standing, room: string, dataDir: string, ...args: readonly string[]) {
  const key = join(room, 'root.key');
  cpSync(rootKeyOf(standing), key);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(key, 65_534, 65_534);
  const main = join(import.meta.dirname, '../src/main.ts');
  const { status, stderr } = spawnSync(process.execPath, [main, 'backup', ...args], {
    env: { DATA_DIR: dataDir, ROOT_KEY_FILE: key },
    ...{ cwd: '/', encoding: 'utf8' },
    ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
  });
  return { code: status, stderr };
}
