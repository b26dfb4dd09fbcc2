import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArgs } from 'node:util';
import { type Command, runCommandLine } from './command.ts';

const command = (name: string): Command => ({
  name,
  usage: `${name} [--fast]`,
  summary: `Does ${name}.`,
  run: async () => 0,
});
const commands = ['start', 'keys create', 'keys rotate'].map(command);

async function run(...args: readonly string[]) {
  const [written, errors]: [string[], string[]] = [[], []];
  const terminal = {
    stdout: (text: string) => void written.push(text),
    stderr: (text: string) => void errors.push(text),
    isInteractive: false,
    cwd: '/',
  };
  const code = await runCommandLine(args, commands, terminal);
  const shown = (texts: string[]) =>
    commands.map(({ name }) => name).filter((name) => texts.join('').includes(`Does ${name}.`));
  return { code, stdout: shown(written), stderr: shown(errors), message: errors.join('').split('\n', 1)[0] };
}

test('an unknown option is refused with a similar option, or with all options of the command', async () => {
  const create: Command = {
    ...command('clients create'),
    usage: 'clients create NAME --scopes a,b [--legal-bases a,b] [--certificate FILE] [--json]',
    run: async (args) => {
      parseArgs({ args, allowPositionals: true, options: { scopes: { type: 'string' } } });
      return 0;
    },
  };
  const messageFor = async (...args: readonly string[]) => {
    let output = '';
    const write = (text: string) => {
      output += text;
    };
    const terminal = { stdout: write, stderr: write, isInteractive: false, cwd: '/' };
    assert.equal(await runCommandLine(['clients', 'create', ...args], [create], terminal), 2);
    return output.split('\n', 1)[0];
  };
  assert.equal(await messageFor('A', '--scope', 'a'), 'Unknown option --scope. Did you mean --scopes?');
  assert.equal(await messageFor('--legalbases=a'), 'Unknown option --legalbases. Did you mean --legal-bases?');
  assert.equal(await messageFor('--cert', 'a'), 'Unknown option --cert. Did you mean --certificate?');
  const all = '--scopes, --legal-bases, --certificate, --json';
  const hint = 'To pass a value that starts with "-", put it after "--".';
  assert.equal(await messageFor('--role', 'a'), `Unknown option --role. This command has ${all}. ${hint}`);
  assert.equal(await messageFor('-s', 'a'), `Unknown option -s. This command has ${all}. ${hint}`);
});

test('help, --help and -h show all commands, the commands of a first word, or one command', async () => {
  for (const args of [['help'], ['--help'], ['-h']])
    assert.deepEqual(await run(...args), {
      code: 0,
      stdout: ['start', 'keys create', 'keys rotate'],
      stderr: [],
      message: '',
    });
  for (const args of [
    ['help', 'keys'],
    ['keys', '--help'],
    ['keys', '-h'],
  ])
    assert.deepEqual(await run(...args), { code: 0, stdout: ['keys create', 'keys rotate'], stderr: [], message: '' });
  for (const args of [
    ['help', 'keys', 'rotate'],
    ['keys', 'rotate', '--help'],
    ['keys', 'rotate', '-h'],
  ])
    assert.deepEqual(await run(...args), { code: 0, stdout: ['keys rotate'], stderr: [], message: '' });
});

test('an unknown command is refused with the commands of the same first word, or refers to the help', async () => {
  const alike = ['keys create', 'keys rotate'];
  assert.deepEqual(await run('keys'), { code: 2, stdout: [], stderr: alike, message: 'Incomplete command "keys".' });
  assert.deepEqual(await run('keys', 'turn', '-h'), {
    code: 2,
    stdout: [],
    stderr: alike,
    message: 'Unknown command "keys turn".',
  });
  assert.deepEqual(await run('help', 'sing'), {
    code: 2,
    stdout: [],
    stderr: [],
    message: 'Unknown command "sing".',
  });
});

test('an unknown command is refused with the nearest command, also if its words have another order or form', async () => {
  const known = [
    'start',
    'citizens import',
    'documents show',
    'holds add',
    'holds release',
    'keys create',
    'keys rotate ledger',
    'keys rotate root',
    'policies calibrate',
  ].map(command);
  const hintFor = async (...args: readonly string[]) => {
    let errors = '';
    const stderr = (text: string) => {
      errors += text;
    };
    const terminal = { stdout: () => undefined, stderr, isInteractive: false, cwd: '/' };
    assert.equal(await runCommandLine(args, known, terminal), 2);
    return { hint: errors.split('\n', 1)[0], lists: known.filter(({ summary }) => errors.includes(summary)).length };
  };
  const hints: ReadonlyArray<readonly [words: string, named: string, nearest: string, lists: number]> = [
    ['strat', 'strat', 'start', 1],
    ['documents hold doc_1 --reason x', 'documents hold', 'holds add', 2],
    ['documents release hld_1', 'documents release', 'holds release', 2],
    ['import citizens people.csv', 'import citizens', 'citizens import', 1],
    ['keys rotate-root --finish', 'keys rotate-root', 'keys rotate root', 3],
    ['ledger rotate-key --now', 'ledger rotate-key', 'keys rotate ledger', 3],
    ['calibrate --name x', 'calibrate', 'policies calibrate', 1],
  ];
  for (const [words, named, nearest, lists] of hints)
    assert.deepEqual(await hintFor(...words.split(' ')), {
      hint: `Unknown command "${named}". Did you mean "${nearest}"?`,
      lists,
    });
  assert.deepEqual(await hintFor('documents', 'sing', 'doc_1'), {
    hint: 'Unknown command "documents sing".',
    lists: 1,
  });
  assert.deepEqual(await hintFor('keys', 'rotate'), { hint: 'Incomplete command "keys rotate".', lists: 2 });
});

test('help and the list after an unknown command break their lines at the width of the terminal', async () => {
  const wide: Command = { ...command('start'), summary: 'word '.repeat(30).trim() };
  for (const args of [['help'], ['start', '--help'], ['strat']]) {
    let output = '';
    const write = (text: string) => {
      output += text;
    };
    await runCommandLine(args, [wide], { stdout: write, stderr: write, isInteractive: false, cwd: '/', columns: 60 });
    const longest = Math.max(...output.split('\n').map(({ length }) => length));
    assert.ok(longest > 50 && longest <= 60, `${args}: ${longest}`);
  }
});
