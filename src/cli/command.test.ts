import assert from 'node:assert/strict';
import { test } from 'node:test';
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
