import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { openRegularFile, readRegularFile, UnreadableFile } from '../../src/config/regular-file.ts';
import { fetchOnce } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';

// Attack: on SQLite the running server opens the files that commands name. A pipe would block it, and a device would fill its memory.

const folder = makeTestFolder('cs-named-files-');
const named = {
  pipe: join(folder, 'pipe'),
  device: join(folder, 'device'),
  folder: join(folder, 'folder'),
  large: join(folder, 'large.json'),
};
let home: ServerFixture;
const thisFile = fileCleanupScope();

before(async () => {
  assert.equal(spawnSync('mkfifo', [named.pipe]).status, 0);
  symlinkSync('/dev/zero', named.device);
  mkdirSync(named.folder);
  writeFileSync(named.large, `"${'x'.repeat(1_048_576)}"`);
  home = await makeServerFixture(thisFile);
  await home.start();
});

const notRegular = /Cannot read [^:]+: expected a regular file, received a pipe or a device/;
const isFolder = /Cannot read [^:]+: expected a file, received a folder/;
const tooLarge = /Cannot read [^:]+: expected at most 1048576 bytes, received a larger file/;

/** Each command with one file that it reads whole. */
const commands: readonly (readonly [name: string, argsFor: (path: string) => readonly string[]])[] = [
  ['policies add', (path) => ['policies', 'add', path]],
  ['clients create --jwks', (path) => ['clients', 'create', 'A', '--scopes', 'documents:read', '--jwks', path]],
  [
    'clients create --certificate',
    (path) => ['clients', 'create', 'A', '--scopes', 'documents:read', '--certificate', path],
  ],
  ['clients update --jwks', (path) => ['clients', 'update', 'no-client', '--jwks', path]],
  ['citizens import --map', (path) => ['citizens', 'import', '/etc/hostname', '--map', path]],
  ['ledger verify --policy', (path) => ['ledger', 'verify', path, '--policy', path]],
  ['evidence verify', (path) => ['evidence', 'verify', path]],
];

for (const [name, argsFor] of commands) {
  test(`${name} refuses a pipe, a device, a folder and a large file, and the server continues`, async () => {
    for (const [kind, expected] of [
      ['pipe', notRegular],
      ['device', notRegular],
      ['folder', isFolder],
      ['large', tooLarge],
    ] as const) {
      const { code, stderr } = await home.runCommand(...argsFor(named[kind]));
      assert.match(stderr, expected, `${kind}: ${stderr}`);
      assert.equal(code, 2, stderr);
      assert.equal((await fetchOnce(`${home.url}/healthz`)).status, 200);
    }
  });
}

for (const [name, argsFor] of [
  ['citizens import', (path: string) => ['citizens', 'import', path]],
  ['contacts import', (path: string) => ['contacts', 'import', path]],
] as const) {
  test(`${name}, which reads its file in pieces, refuses a pipe, a device and a folder`, async () => {
    for (const kind of ['pipe', 'device', 'folder'] as const) {
      const { code, stderr } = await home.runCommand(...argsFor(named[kind]));
      assert.match(stderr, kind === 'folder' ? isFolder : notRegular);
      assert.equal(code, 2, stderr);
    }
  });
}

test('citizens import refuses a pipe and a device as the file of rejected rows', async () => {
  const people = join(folder, 'people.csv');
  writeFileSync(people, 'citizenId\nA-1\n');
  for (const kind of ['pipe', 'device'] as const) {
    const { code, stderr } = await home.runCommand('citizens', 'import', people, '--errors', named[kind]);
    assert.match(stderr, /is a pipe, a device or a folder; specify a regular file/);
    assert.notEqual(code, 0);
    assert.equal((await fetch(`${home.url}/healthz`)).status, 200);
  }
});

test('ledger export does not wait for a reader of a pipe in its folder', async () => {
  const log = join(folder, 'exported');
  mkdirSync(log);
  assert.equal(spawnSync('mkfifo', [join(log, 'checkpoint')]).status, 0);
  const { code, stderr } = await home.runCommand('ledger', 'export', log);
  assert.notEqual(code, 0, stderr);
});

test('a pipe in the folder of an exported log is refused', async () => {
  const log = join(folder, 'log');
  mkdirSync(log);
  assert.equal(spawnSync('mkfifo', [join(log, 'checkpoint')]).status, 0);
  const { code, stderr } = await home.runCommand('ledger', 'verify', log, '--key', 'gov.example/ledger+0+AQ==');
  assert.notEqual(code, 0);
  assert.match(stderr, /expected a regular file|--key/);
});

test('a file is checked after it is opened, and is read only up to the limit', async () => {
  await assert.rejects(openRegularFile(named.pipe), UnreadableFile);
  await assert.rejects(readRegularFile(named.large, 1_000), UnreadableFile);
  assert.equal((await readRegularFile(named.large, 2_000_000)).length, 1_048_578);
  // The size of such a file is 0.
  assert.ok((await readRegularFile('/proc/self/status', 100_000)).length > 100);
  await assert.rejects(readRegularFile('/proc/self/status', 10), UnreadableFile);
});
