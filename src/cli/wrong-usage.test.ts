import assert from 'node:assert/strict';
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { makeIdentityFolder } from '../../test/support/identity-people.ts';
import { logSigner } from '../../test/support/ledger-app.ts';
import { commandLine } from '../app/command-line.ts';

/** The command line in an empty folder: a command that opens the data fails with exit code 1. */
function openCommandLine(t: TestContext) {
  const folder = makeIdentityFolder(t);
  return { folder, run: (...args: readonly string[]) => runAt(folder, {}, args) };
}

async function runAt(folder: string, settings: Record<string, string>, args: readonly string[]) {
  const printed = { stdout: '', stderr: '' };
  const environment = { DATA_DIR: join(folder, 'data'), HOME: folder, ...settings };
  const code = await commandLine(args, environment, {
    stdout: (text) => {
      printed.stdout += text;
    },
    stderr: (text) => {
      printed.stderr += text;
    },
    isInteractive: false,
    cwd: folder,
  });
  return { code, ...printed };
}

test('an unknown flag or argument is wrong usage of every command, and nothing is created', async (t) => {
  const { run, folder } = openCommandLine(t);
  const { stdout } = await run('help');
  const names = stdout.split('\n').flatMap((line) => /^ {2}(\S+(?: \S+)*) {2}/.exec(line)?.[1] ?? []);
  assert.ok(names.length > 30 && names.includes('ledger access-log'), names.join());
  const wrong: string[] = [];
  for (const name of names) {
    for (const more of [['--no-such'], ['one', 'two', 'three', 'four'], ['--json=1']]) {
      const { code, stderr } = await run(...name.split(' '), ...more);
      const isUsage = code === 2 && stderr.includes(`\nUsage: citizen-services ${name}`);
      if (!isUsage) wrong.push(`${name} ${more.join(' ')}: ${code} ${stderr}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual(readdirSync(folder), []);
});

test('each command reports a DATA_DIR that is missing or not readable, and creates nothing', async (t) => {
  const { folder } = openCommandLine(t);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  symlinkSync(join(folder, 'disk'), join(folder, 'link'));
  symlinkSync('round', join(folder, 'round'));
  const within = join(file, 'data');
  const rootKey = join(makeIdentityFolder(t), 'root.key');
  writeFileSync(rootKey, Buffer.alloc(32).toString('base64'), { mode: 0o600 });
  const lines: ReadonlyArray<readonly [Record<string, string>, string, RegExp]> = [
    [
      { DATA_DIR: join(folder, 'round'), ROOT_KEY_FILE: rootKey },
      'clients list',
      /^\S+round\/citizen-services\.sqlite cannot be read \(ELOOP\): the user of this process must own DATA_DIR\n/,
    ],
    [
      { DATA_DIR: join(folder, 'round') },
      'backup create b',
      /^\S+round\/citizen-services\.sqlite cannot be read: run this as the user of the/,
    ],
    ...[within, join(folder, 'none')].map(
      (dataDir) =>
        [
          { DATA_DIR: dataDir },
          'backup create b',
          /^no citizen-services\.sqlite in DATA_DIR, .*: there is nothing to back up/,
        ] as const,
    ),
    [
      {},
      'backup verify file',
      /^\S+file is not a complete backup: cannot read backup\.json, which is written last \(ENOTDIR\)\n/,
    ],
    [
      { DATA_DIR: folder, ROOT_KEY_FILE: join(within, 'root.key') },
      'keys create',
      /^cannot create a root key at \S+ \(ENOTDIR: .*: expected a folder that the user/,
    ],
    [
      { DATA_DIR: folder, ROOT_KEY_FILE: join(folder, 'file', 'root.key') },
      'keys create',
      /^cannot create a root key at \S+ \(EEXIST: .*: expected a folder that the user/,
    ],
    [
      { DATA_DIR: within },
      'keys create',
      /^DATA_DIR: expected a folder that the user of this process can create and write to/,
    ],
    [{ DATA_DIR: join(folder, 'link') }, 'doctor', /^warn +data-dir +\S+link does not exist yet -> run/m],
  ];
  for (const [settings, command, reason] of lines) {
    const { code, stdout, stderr } = await runAt(folder, settings, command.split(' '));
    assert.equal(code, 1, command);
    assert.match(stderr + stdout, reason);
  }
  assert.deepEqual(readdirSync(folder).toSorted(), ['file', 'link', 'round']);
});

test('commands and doctor name the setting of a file that cannot be read', async (t) => {
  const { folder } = openCommandLine(t);
  for (const name of ['SETTINGS_FILE', 'DATABASE_URL_FILE']) {
    for (const command of [['clients', 'list'], ['doctor']]) {
      // Not even root can read the first byte of this file.
      const { code, stdout, stderr } = await runAt(folder, { [name]: '/proc/self/mem' }, command);
      assert.equal(code, 1);
      assert.match(
        stderr + stdout,
        new RegExp(`${name}: expected a file that the user of this process can read, received "/proc/self/mem"`),
      );
    }
  }
});

test('a calibration whose --out cannot be written, and a witness without a port, do not start', async (t) => {
  const { run, folder } = openCommandLine(t);
  writeFileSync(join(folder, 'people.csv'), 'citizenId,givenName\nc-1,Ann\n');
  const order = ['calibrate', '--register', 'people.csv', '--name', 'town-2026-1', '--out', 'none/policy.json'];
  const calibrated = await run(...order);
  assert.deepEqual([calibrated.code, calibrated.stdout], [2, '']);
  assert.match(
    calibrated.stderr,
    /^--out \S+none\/policy\.json cannot be written: ENOENT, no such file or directory\n/,
  );
  for (const port of ['65536', '-1', 'http', '']) {
    const { code, stderr } = await run(
      'witness',
      '--data',
      'witness',
      '--name',
      'w',
      '--log',
      logSigner.vkey,
      `--port=${port}`,
    );
    assert.deepEqual(
      [code, stderr.split('\n')[0]],
      [2, '--data, at least one --log, and a port number are needed'],
      port,
    );
  }
  assert.deepEqual(readdirSync(folder), ['people.csv']);
});

test('commands for keys, erasure and proofs refuse incomplete or contradicting flags', async (t) => {
  const { run, folder } = openCommandLine(t);
  writeFileSync(join(folder, 'policy'), 'quorum none\n');
  const wrong: string[] = [];
  for (const [command, words] of [
    ['keys rotate-root --prepare --finish', 'choose --prepare or --finish'],
    ['keys rotate', 'name one of access-token, result, evidence'],
    ['keys rotate checkpoint', 'name one of access-token, result, evidence'],
    ['keys rotate access-token result', 'name one of access-token, result, evidence'],
    ['ledger verify', 'Usage: citizen-services ledger verify'],
    ['ledger verify log', 'give the public key of the log with --key, or a policy with --policy'],
    [
      'ledger verify log --key a --policy policy',
      'give the public key of the log with --key, or a policy with --policy',
    ],
    ['citizens erase c-1', 'this cannot be undone; say --yes'],
    ['ledger prove evt_1', 'an event id looks like evt_01'],
    ['ledger rotate-key --now --overlap-days 5', 'choose --overlap-days or --now'],
    ['ledger rotate-key --overlap-days 0', '--overlap-days must be a number from 1 to'],
  ] as const) {
    const { code, stderr } = await run(...command.split(' '));
    if (code !== 2 || !stderr.includes(words)) wrong.push(`${command}: ${code} ${stderr}`);
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual(readdirSync(folder), ['policy']);
});

test('holds and retention classes with incomplete or contradicting flags are refused', async (t) => {
  const { run, folder } = openCommandLine(t);
  const wrong: string[] = [];
  for (const [command, words] of [
    ['hold --citizen c-1', '--reason says why'],
    ['hold --reason why', 'name one document, or one citizen with --citizen'],
    ['hold doc_1 --citizen c-1 --reason why', 'name one document, or one citizen with --citizen'],
    ['hold doc_1 --reason why', 'a document has an id as doc_'],
    ['release hld_1', 'name one hold by its id'],
    ['class Permit --keep-days 1 --basis law', 'name one class in small letters'],
    ['class permit --keep-days 1', '--basis names the rule'],
    ['class permit --basis law', '--keep-days is a number of days'],
    ['class permit --keep-days ten --basis law', '--keep-days is a number of days'],
    ['class permit --keep-days 73001 --basis law', '--keep-days is a number of days'],
    ['class permit --keep-days 10 --erase-after-days x --basis law', '--erase-after-days is a number of days'],
    ['class permit --keep-days 10 --erase-after-days 9 --basis law', '--erase-after-days is not below --keep-days'],
  ] as const) {
    const { code, stderr } = await run('documents', ...command.split(' '));
    if (code !== 2 || !stderr.includes(words)) wrong.push(`${command}: ${code} ${stderr}`);
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual(readdirSync(folder), []);
});

test('a file that cannot be read is wrong usage, and the message names it as written', async (t) => {
  const { run, folder } = openCommandLine(t);
  mkdirSync(join(folder, 'a-folder'));
  writeFileSync(join(folder, 'people.csv'), 'citizenId,givenName\nc-1,Ann\n');
  const client = ['clients', 'create', 'Tax', '--scopes', 'identity:verify'];
  const commands: ReadonlyArray<readonly string[]> = [
    ['policies', 'add'],
    ['contacts', 'import'],
    ['import', 'citizens'],
    ['import', 'citizens', 'people.csv', '--map'],
    ['evidence', 'verify'],
    ['evidence', 'verify', 'people.csv', '--keys'],
    [...client, '--jwks'],
    [...client, '--certificate'],
    ['clients', 'update', 'tax-1', '--jwks'],
    ['calibrate', '--name', 'town-2026-1', '--register'],
    ['calibrate', '--name', 'town-2026-1', '--register', 'people.csv', '--claims'],
    ['calibrate', '--name', 'town-2026-1', '--register', 'people.csv', '--columns'],
    ['evaluate', '--register', 'people.csv', '--claims', 'people.csv', '--pairs'],
  ];
  const wrong: string[] = [];
  for (const command of commands) {
    for (const name of ['a-folder', 'not-there']) {
      const { code, stderr } = await run(...command, name);
      if (code !== 2 || !stderr.includes(name)) wrong.push(`${command.join(' ')} ${name}: ${code} ${stderr}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('no command overwrites a file that it reads, also under another name', async (t) => {
  const { run, folder } = openCommandLine(t);
  const people = 'citizenId,givenName\nc-1,Ann\n';
  const map = '{"citizenId":"citizenId"}';
  writeFileSync(join(folder, 'people.csv'), people);
  writeFileSync(join(folder, 'map.json'), map);
  linkSync(join(folder, 'people.csv'), join(folder, 'hard.csv'));
  symlinkSync('people.csv', join(folder, 'soft.csv'));
  const wrong: string[] = [];
  const refusedImport = ['import', 'citizens', 'people.csv', '--map', 'map.json', '--restart', '--errors'];
  const calibration = [
    'calibrate',
    '--name',
    'town-2026-1',
    '--register',
    'people.csv',
    '--claims',
    'hard.csv',
    '--out',
  ];
  for (const command of [
    ...['people.csv', './people.csv', 'hard.csv', 'soft.csv', 'map.json'].map((name) => [...refusedImport, name]),
    ...['people.csv', 'soft.csv'].map((name) => [...calibration, name]),
  ]) {
    const { code, stderr } = await run(...command);
    if (code !== 2 || !/names a file that is read/.test(stderr)) wrong.push(`${command.join(' ')}: ${code} ${stderr}`);
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual(readFileSync(join(folder, 'people.csv'), 'utf8'), people);
  assert.deepEqual(readFileSync(join(folder, 'map.json'), 'utf8'), map);
});

test('after a backup trial the process has the same signal listeners as before', async (t) => {
  const { run } = openCommandLine(t);
  const listening = () => ['SIGTERM', 'SIGINT'].map((signal) => process.listenerCount(signal));
  const before = listening();
  assert.equal((await run('backup', 'verify', 'none')).code, 1);
  assert.deepEqual(listening(), before);
});
