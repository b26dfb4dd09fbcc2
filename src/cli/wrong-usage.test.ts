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
      /^Cannot read \S+round\/citizen-services\.sqlite\. Run this command as the user of the/,
    ],
    ...[within, join(folder, 'none')].map(
      (dataDir) =>
        [
          { DATA_DIR: dataDir },
          'backup create b',
          /^Expected citizen-services\.sqlite in DATA_DIR \(.*\), but it does not exist\. Set DATA_DIR/,
        ] as const,
    ),
    [
      {},
      'backup verify file',
      /^\S+file is not a complete backup: cannot read backup\.json, which is written last \(ENOTDIR\)\. Use another backup\.\n/,
    ],
    [
      { DATA_DIR: folder, ROOT_KEY_FILE: join(within, 'root.key') },
      'keys create',
      /^Cannot create the root key file \S+ \(ENOTDIR: .*\. Give the user of this process write access/,
    ],
    [
      { DATA_DIR: folder, ROOT_KEY_FILE: join(folder, 'file', 'root.key') },
      'keys create',
      /^Cannot create the root key file \S+ \(EEXIST: .*\. Give the user of this process write access/,
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
  const order = [
    'policies',
    'calibrate',
    '--register',
    'people.csv',
    '--name',
    'town-2026-1',
    '--out',
    'none/policy.json',
  ];
  const calibrated = await run(...order);
  assert.deepEqual([calibrated.code, calibrated.stdout], [2, '']);
  assert.match(calibrated.stderr, /^--out: cannot write \S+none\/policy\.json: ENOENT, no such file or directory\.\n/);
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
      [2, `--port: expected a port number from 0 to 65535, received "${port}".`],
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
    ['keys rotate root --prepare --finish', 'Expected --prepare or --finish, received both.'],
    ['keys rotate', 'Incomplete command "keys rotate".'],
    ['keys rotate checkpoint', 'Unknown command "keys rotate checkpoint".'],
    ['keys rotate access-token result', "Unexpected argument 'result'"],
    ['ledger verify', 'Usage: citizen-services ledger verify'],
    ['ledger verify log', 'Expected --key or --policy, received neither.'],
    ['ledger verify log --key a --policy policy', 'Expected --key or --policy, received both.'],
    ['citizens erase c-1', '--yes: expected this option'],
    ['ledger prove evt_1', 'Expected the id of one event, such as evt_01…, received "evt_1".'],
    ['keys rotate ledger --now --overlap-days 5', 'Expected --overlap-days or --now, received both.'],
    ['keys rotate ledger --overlap-days 0', '--overlap-days: expected a whole number from 1 to 3650, received "0".'],
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
    ['holds add --citizen c-1', '--reason: expected the reason'],
    ['holds add --reason why', 'received 0 values'],
    ['holds add doc_1 --citizen c-1 --reason why', 'received 2 values'],
    ['holds add doc_1 --reason why', 'Expected the id of a document, such as doc_01…, received "doc_1".'],
    ['holds release hld_1', 'Expected the id of one hold, such as hld_01…, received "hld_1".'],
    ['retention-classes add Permit --keep-days 1 --basis law', 'Expected one class name of lowercase letters'],
    ['retention-classes add permit --keep-days 1', '--basis: expected the rule'],
    ['retention-classes add permit --basis law', '--keep-days: expected a whole number of days'],
    ['retention-classes add permit --keep-days ten --basis law', '--keep-days: expected a whole number of days'],
    ['retention-classes add permit --keep-days 73001 --basis law', '--keep-days: expected a whole number of days'],
    [
      'retention-classes add permit --keep-days 10 --erase-after-days x --basis law',
      '--erase-after-days: expected a whole number of days',
    ],
    [
      'retention-classes add permit --keep-days 10 --erase-after-days 9 --basis law',
      '--erase-after-days: expected at least the 10 days',
    ],
  ] as const) {
    const { code, stderr } = await run(...command.split(' '));
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
    ['citizens', 'import'],
    ['citizens', 'import', 'people.csv', '--map'],
    ['evidence', 'verify'],
    ['evidence', 'verify', 'people.csv', '--keys'],
    [...client, '--jwks'],
    [...client, '--certificate'],
    ['clients', 'update', 'tax-1', '--jwks'],
    ['policies', 'calibrate', '--name', 'town-2026-1', '--register'],
    ['policies', 'calibrate', '--name', 'town-2026-1', '--register', 'people.csv', '--claims'],
    ['policies', 'calibrate', '--name', 'town-2026-1', '--register', 'people.csv', '--columns'],
    ['policies', 'evaluate', '--register', 'people.csv', '--claims', 'people.csv', '--pairs'],
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
  const refusedImport = ['citizens', 'import', 'people.csv', '--map', 'map.json', '--restart', '--errors'];
  const calibration = [
    'policies',
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
    if (code !== 2 || !/expected another file than the input/.test(stderr))
      wrong.push(`${command.join(' ')}: ${code} ${stderr}`);
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
