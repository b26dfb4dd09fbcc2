import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { temporaryFolder } from '../../test/identity-people.ts';
import { runCommandLine } from './command.ts';
import { evaluateCommands } from './evaluate.ts';

async function run(t: TestContext, ...extra: readonly string[]) {
  const cwd = temporaryFolder(t);
  const people = 'citizenId,givenName,familyName,birthDate\nA,Zoë,Müller,1980-02-07\nB,Ana,Silva,1990-11-30\n';
  writeFileSync(join(cwd, 'r.csv'), people);
  writeFileSync(join(cwd, 'c.csv'), people.replace('A,Zoë,Müller', '1,ZOE,Mueller').replace('B,Ana', '2,Eva'));
  writeFileSync(join(cwd, 'p.csv'), 'claim,record,same\n1,A,1\n1,B,0\n2,B,0\n2,A,0\n');
  let stdout = '';
  let stderr = '';
  const terminal = {
    stdout: (text: string) => (stdout += text),
    stderr: (text: string) => (stderr += text),
    isInteractive: false,
    cwd,
  };
  const files = ['--register', 'r.csv', '--claims', 'c.csv', '--pairs', 'p.csv'];
  const code = await runCommandLine(
    ['evaluate', ...files, ...extra],
    evaluateCommands(terminal, () => 0),
    terminal,
  );
  return { code, stdout, stderr };
}

test('evaluate prints one JSON object of the contract, and nothing else there', async (t) => {
  const { code, stdout } = await run(t, '--policy', 'standard-2026-2');
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), {
    policy: 'standard-2026-2',
    threshold: 0.99,
    truePairs: 1,
    accepted: 1,
    falsePairs: 3,
    falseMatches: 0,
    bestF1: 1,
    microsecondsPerComparison: 0,
  });
});

test('a claim or policy that evaluate does not know is wrong usage, with those that it does', async (t) => {
  const use = await run(t, '--use', 'givenName,shoeSize');
  assert.deepEqual([use.code, use.stdout], [2, '']);
  assert.match(use.stderr, /givenName, familyName, birthDate, not 'shoeSize'/);
  const policy = await run(t, '--policy', 'nope');
  assert.equal(policy.code, 2);
  assert.match(policy.stderr, /calibrated-2026-1/);
});
