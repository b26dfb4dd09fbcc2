import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { makeIdentityFolder } from '../../test/support/identity-people.ts';
import { parseMatchPolicy } from '../identity/policies/policy-file.ts';
import { calibrateCommands } from './calibrate.ts';
import { runCommandLine } from './command.ts';

const header = 'citizenId,givenName,familyName,birthDate,country\n';
/** A file with this number of persons, all of one country. */
const peopleOf = (count: number) =>
  header +
  Array.from({ length: count }, (_, at) => `C-${at},Name${at % 9},Family${at},${1940 + (at % 60)}-02-07,DE\n`).join('');

/** Runs the command in a folder with these files; the first is the register. */
async function run(t: TestContext, texts: Readonly<Record<string, string>>, ...extra: readonly string[]) {
  const cwd = makeIdentityFolder(t);
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(cwd, name), text);
  let [stdout, stderr] = ['', ''];
  const terminal = {
    stdout: (text: string) => (stdout += text),
    stderr: (text: string) => (stderr += text),
    isInteractive: false,
    cwd,
  };
  const args = ['policies', 'calibrate', '--name', 'town-2026-1', '--register', Object.keys(texts)[0] ?? '', ...extra];
  const code = await runCommandLine(args, calibrateCommands(terminal, { now: () => 0 }), terminal);
  return { code, stdout, stderr, read: (name: string) => readFileSync(join(cwd, name), 'utf8') };
}

test('calibrate writes a policy, also for a column with one value and for a single person', async (t) => {
  for (const count of [1, 2, 40]) {
    const { code, stdout, stderr } = await run(t, { 'r.csv': peopleOf(count) });
    assert.equal(code, 0, stderr);
    assert.equal(stderr.split(', 0/s').at(-2)?.split('\n').at(-1), `100 %, ${count} rows`);
    const parsed = parseMatchPolicy(stdout);
    assert.ok('policy' in parsed, `${count}: ${'fault' in parsed ? parsed.fault : ''}`);
  }
});

test('calibrate fails for files without a common column, or with ids only', async (t) => {
  const towns = 'citizenId,locality\nA,Porto\nB,Lisbon\n';
  const apart = await run(t, { 'r.csv': peopleOf(2), 'c.csv': towns }, '--claims', 'c.csv');
  const alone = await run(t, { 'r.csv': 'citizenId\nA\nB\n' });
  for (const { code, stdout, stderr } of [apart, alone]) {
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /no common column to compare/);
  }
});

test('calibrate refuses to overwrite its column mapping with the policy', async (t) => {
  const map = '{"citizenId":"citizenId","familyName":"familyName"}';
  const files = { 'r.csv': peopleOf(2), 'map.json': map };
  const { code, stderr, read } = await run(t, files, '--columns', 'map.json', '--out', 'map.json');
  assert.deepEqual([code, read('map.json')], [2, map]);
  assert.match(stderr, /--out: expected another file than the input, received /);
});
