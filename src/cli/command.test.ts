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
  const [written, told]: [string[], string[]] = [[], []];
  const terminal = {
    stdout: (text: string) => void written.push(text),
    stderr: (text: string) => void told.push(text),
    isInteractive: false,
    cwd: '/',
  };
  const code = await runCommandLine(args, commands, terminal);
  const shown = (texts: string[]) =>
    commands.map(({ name }) => name).filter((name) => texts.join('').includes(`Does ${name}.`));
  return { code, stdout: shown(written), stderr: shown(told), told: told.join('').split('\n', 1)[0] };
}

test('an option that a command does not have is answered with the one that is meant, or with those that there are', async () => {
  const asking: Command = {
    ...command('clients create'),
    usage: 'clients create NAME --scopes a,b [--legal-bases a,b] [--certificate FILE] [--json]',
    run: async (args) => {
      parseArgs({ args: [...args], allowPositionals: true, options: { scopes: { type: 'string' } } });
      return 0;
    },
  };
  const told = async (...args: readonly string[]) => {
    let said = '';
    const write = (text: string) => {
      said += text;
    };
    const terminal = { stdout: write, stderr: write, isInteractive: false, cwd: '/' };
    assert.equal(await runCommandLine(['clients', 'create', ...args], [asking], terminal), 2);
    return said.split('\n', 1)[0];
  };
  assert.equal(await told('A', '--scope', 'a'), 'There is no option --scope; did you mean --scopes?');
  assert.equal(await told('--legalbases=a'), 'There is no option --legalbases; did you mean --legal-bases?');
  assert.equal(await told('--cert', 'a'), 'There is no option --cert; did you mean --certificate?');
  const all = '--scopes, --legal-bases, --certificate, --json';
  const behind = 'What begins with - and is none stands behind --.';
  assert.equal(await told('--role', 'a'), `There is no option --role; there are ${all}. ${behind}`);
  assert.equal(await told('-s', 'a'), `There is no option -s; there are ${all}. ${behind}`);
});

test('help is asked for in any of the usual ways, of all commands, of those of one word, and of one', async () => {
  for (const asked of [['help'], ['--help'], ['-h']])
    assert.deepEqual(await run(...asked), {
      code: 0,
      stdout: ['start', 'keys create', 'keys rotate'],
      stderr: [],
      told: '',
    });
  for (const asked of [
    ['help', 'keys'],
    ['keys', '--help'],
    ['keys', '-h'],
  ])
    assert.deepEqual(await run(...asked), { code: 0, stdout: ['keys create', 'keys rotate'], stderr: [], told: '' });
  for (const asked of [
    ['help', 'keys', 'rotate'],
    ['keys', 'rotate', '--help'],
    ['keys', 'rotate', '-h'],
  ])
    assert.deepEqual(await run(...asked), { code: 0, stdout: ['keys rotate'], stderr: [], told: '' });
});

test('what is no command is refused beside those that begin with the same word, or beside all', async () => {
  const [alike, all] = [
    ['keys create', 'keys rotate'],
    ['start', 'keys create', 'keys rotate'],
  ];
  assert.deepEqual(await run('keys'), { code: 2, stdout: [], stderr: alike, told: "There is no command 'keys'." });
  assert.deepEqual(await run('keys', 'turn', '-h'), {
    code: 2,
    stdout: [],
    stderr: alike,
    told: "There is no command 'keys turn'.",
  });
  assert.deepEqual(await run('help', 'sing'), {
    code: 2,
    stdout: [],
    stderr: all,
    told: "There is no command 'sing'.",
  });
});
