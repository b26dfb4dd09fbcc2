import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { makeIdentityFolder } from '../../test/support/identity-people.ts';
import { evaluatePolicy } from '../identity/evaluation/evaluate-policy.ts';
import { readCsvTable } from '../identity/import/people-file.ts';
import { calibratedPolicy } from '../identity/match/policy.ts';
import { runCommandLine } from './command.ts';
import { evaluateCommands } from './evaluate.ts';

const people = 'citizenId,givenName,familyName,birthDate\nA,Zoë,Müller,1980-02-07\nB,Ana,Silva,1990-11-30\n';
const files = {
  'r.csv': people,
  'c.csv': people.replace('A,Zoë,Müller', '1,ZOE,Mueller').replace('B,Ana', '2,Eva'),
  'p.csv': 'claim,record,same\n1,A,1\n1,B,0\n2,B,0\n2,A,0\n',
};

/** Runs the command in a folder with these files, on 2026-11-20. */
async function runWith(t: TestContext, texts: Readonly<Record<string, string>>, ...extra: readonly string[]) {
  const cwd = makeIdentityFolder(t);
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(cwd, name), text);
  let stdout = '';
  let stderr = '';
  const terminal = {
    stdout: (text: string) => (stdout += text),
    stderr: (text: string) => (stderr += text),
    isInteractive: false,
    cwd,
  };
  const clock = { now: () => Date.UTC(2026, 10, 20) };
  const code = await runCommandLine(
    ['policies', 'evaluate', '--register', 'r.csv', '--claims', 'c.csv', '--pairs', 'p.csv', ...extra],
    evaluateCommands(terminal, clock, () => 0),
    terminal,
  );
  return { code, stdout, stderr };
}

test('names without a birth date match with an address, and not alone or with an id', async (t) => {
  const header = 'citizenId,givenName,familyName,birthDate,streetAddress,postalCode';
  const texts = {
    'r.csv': `${header}\nA,Zoë,Quillfeather,1980-02-07,4 Mill Lane,20001\nB,Ana,Silva,1990-11-30,7 Quay,30003\n`,
    'c.csv': `${header}\n1,Zoë,Quillfeather,,4 Mill Lane,20001\n`,
    'p.csv': 'claim,record,same\n1,A,1\n',
  };
  const names = await runWith(t, texts, '--use', 'givenName,familyName,birthDate');
  const whole = await runWith(t, texts);
  // Claims with a stated id have to meet the minimum.
  const withId = await runWith(t, texts, '--use', 'citizenId,givenName,familyName,streetAddress,postalCode');
  assert.deepEqual(
    [names, whole, withId].map(({ stdout }) => JSON.parse(stdout).accepted),
    [0, 1, 0],
  );
});

test('the time of a comparison is measured over the same number of comparisons for small and large files', () => {
  const options = {
    register: [{ citizenId: 'A', givenName: 'Ana' }],
    claims: [{ citizenId: '1', givenName: 'Ana' }],
    use: ['givenName'],
    policy: calibratedPolicy,
  } as const;
  let looks = 0;
  const pairs = [{ claim: '1', record: 'A', same: true }];
  // Each call of the stopwatch adds 40 ms, so that each round of 100 comparisons takes 40 ms.
  const result = evaluatePolicy({ ...options, stopwatch: () => 40 * looks++ }, pairs);
  assert.deepEqual([result.microsecondsPerComparison, looks], [400, 200]);
});

const run = (t: TestContext, ...extra: readonly string[]) => runWith(t, files, ...extra);

test('evaluate prints one JSON object with the documented members on standard output', async (t) => {
  const { code, stdout, stderr } = await run(t, '--policy', 'standard-2026-2');
  assert.deepEqual([code, stderr], [0, '50 %, 2 rows, 0/s\n100 %, 4 rows, 0/s, 0 s left\n']);
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
  assert.equal((await run(t, '--policy', 'standard-2026-2', '--json')).stdout, stdout);
});

test('with --by the pairs are also counted for each value of a column of the claims', async (t) => {
  const cells = ['origin', 'german', '__proto__'];
  const lines = files['c.csv'].trimEnd().split('\n');
  const texts = { ...files, 'c.csv': lines.map((line, at) => `${line},${cells[at]}\n`).join('') };
  const byOrigin = ['--policy', 'standard-2026-2', '--by', 'origin'];
  const { code, stdout, stderr } = await runWith(t, texts, ...byOrigin);
  assert.equal(code, 0, stderr);
  assert.deepEqual(Object.entries(JSON.parse(stdout).groups), [
    ['german', { truePairs: 1, accepted: 1, falsePairs: 1, falseMatches: 0 }],
    ['__proto__', { truePairs: 0, accepted: 0, falsePairs: 2, falseMatches: 0 }],
  ]);
  assert.match(stderr, /^german: accepted 1 of 1 \(100\.0 %\), false matches 0 of 1$/m);
  assert.match(stderr, /^__proto__: accepted 0 of 0, false matches 0 of 2$/m);
  const unknown = await runWith(t, files, ...byOrigin);
  assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
  assert.match(unknown.stderr, /there is no column origin/);
});

test('an unknown claim or policy is wrong usage, and the message lists the known ones', async (t) => {
  const use = await run(t, '--use', 'givenName,shoeSize');
  assert.deepEqual([use.code, use.stdout], [2, '']);
  assert.match(use.stderr, /givenName, familyName, birthDate\), received "shoeSize"/);
  const policy = await run(t, '--policy', 'nope');
  assert.equal(policy.code, 2);
  assert.match(policy.stderr, /calibrated-2026-1/);
});

test('a former name matches within its dates if the policy allows it, unless another record has the same name', async (t) => {
  const lists = {
    A: '[{"familyName":"Holm","from":"2010-06-01","until":"2024-08-31"}]',
    B: '[{"streetAddress":"9 High Street","postalCode":"10009","until":"2025-12-31"}]',
  };
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const header = 'citizenId,givenName,familyName,birthDate,streetAddress,postalCode';
  const texts = {
    'r.csv': `${header},formerNames,formerAddresses
A,Eva,Berg,1985-05-17,4 Mill Lane,20001,${quoted(lists.A)},
B,Ana,Silva,1990-11-30,7 Quay,30003,,${quoted(lists.B)}
`,
    'c.csv': `${header}
1,Eva,Holm,1985-05-17,4 Mill Lane,20001
2,Ana,Silva,1990-11-30,9 High Street,10009
`,
    'p.csv': 'claim,record,same\n1,A,1\n2,B,1\n1,B,0\n',
  };
  const accepted = async (...extra: readonly string[]) => {
    const { code, stdout, stderr } = await runWith(t, texts, ...extra);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout).accepted;
  };
  const both = ['--policy', 'standard-2026-2'];
  const byName = [...both, '--use', 'givenName,familyName,birthDate'];
  assert.deepEqual([await accepted(...both), await accepted(...byName)], [2, 2]);
  assert.deepEqual([await accepted(...both, '--policy', 'eu-2025-846')], [0]);
  // A former name counts for five years after its end, a former address for two.
  assert.deepEqual(
    [await accepted(...both, '--today', '2028-01-01'), await accepted(...both, '--today', '2029-09-01')],
    [1, 0],
  );
  assert.equal(await accepted(...both, '--today', '2010-05-31'), 1);
  texts['r.csv'] += `C,Eva,Lind,1985-05-17,,,${quoted('[{"familyName":"Holm","until":"2022"}]')},\n`;
  assert.deepEqual([await accepted(...byName), await accepted(...byName, '--today', '2028-01-01')], [1, 2]);
});

test('a marked record is decided as on the server, and an ambiguous mark stops the evaluation', async (t) => {
  const marked = (mark: string, value: string) =>
    people
      .replace('birthDate\n', `birthDate,${mark}\n`)
      .replace('02-07\n', `02-07,${value}\n`)
      .replace('11-30\n', '11-30,\n');
  for (const mark of ['underReview', 'locked', 'deceased']) {
    const accepted: number[] = [];
    for (const value of ['no', 'yes']) {
      const texts = { ...files, 'r.csv': marked(mark, value) };
      const { code, stdout, stderr } = await runWith(t, texts, '--policy', 'standard-2026-2');
      assert.equal(code, 0, stderr);
      accepted.push(JSON.parse(stdout).accepted);
    }
    assert.deepEqual(accepted, [1, 0], mark);
  }
  const { code, stderr } = await runWith(t, { ...files, 'r.csv': marked('locked', 'since 2010') });
  assert.equal(code, 1);
  assert.match(stderr, /r\.csv, row 1: locked is neither true, t, yes, y, 1 nor false/);
});

test('an invalid list of former values or an invalid day stops the evaluation with its reason', async (t) => {
  const register = people.replace('birthDate\n', 'birthDate,formerNames\n').replace('02-07\n', '02-07,since 2010\n');
  const list = await runWith(t, { ...files, 'r.csv': register.replace('11-30\n', '11-30,\n') });
  assert.deepEqual([list.code, list.stdout], [1, '']);
  assert.match(list.stderr, /r\.csv, row 1: formerNames is not a JSON list of at most 10 objects/);
  assert.equal(list.stderr.includes('since'), false);
  const today = await run(t, '--today', '2026-02-30');
  assert.equal(today.code, 2);
  assert.match(today.stderr, /^--today: expected a day such as 2026-11-20, received "2026-02-30"/);
});

test('an invalid file stops the evaluation with its first wrong row', async (t) => {
  const stops = async (texts: Readonly<Record<string, string>>, reason: RegExp, ...extra: readonly string[]) => {
    const { code, stdout, stderr } = await runWith(t, { ...files, ...texts }, ...extra);
    assert.deepEqual([code !== 0, stdout], [true, ''], stderr);
    assert.match(stderr, reason);
  };
  await stops(
    { 'p.csv': 'claim,record,same\n1,A,1\n2,B,perhaps\n' },
    /p\.csv, row 2: expected 1, true, .* in the column same; 1 of 2 rows/,
  );
  await stops({ 'p.csv': 'claim_id,record,same\n1,A,1\n' }, /no column claim; the columns are claim_id, record, same/);
  await stops(
    { 'p.csv': 'claim,record,same\n1,A,1\n7,A,0\n1,Z,0\n' },
    /row 2: the claims file does not have the citizenId in the column claim; 2 of 3/,
  );
  await stops(
    { 'p.csv': 'claim,record,same\n1,A,1\n1,A,1\n1,A,0\n' },
    /row 3: an earlier row has the same pair.*; 1 of 3/,
  );
  await stops({ 'p.csv': 'claim,record,same\n1,Z,0\n' }, /row 1: the register file does not have the citizenId/);
  await stops({ 'p.csv': '' }, /p\.csv: the file is empty/);
  await stops(
    { 'p.csv': 'claim,record "A",same\n1,A,1\n' },
    /p\.csv: the line of column names: a value contains a quote/,
  );
  await stops({ 'c.csv': people.replace('citizenId', 'number') }, /c\.csv: no column has a usual name for citizenId/);
  await stops({ 'c.csv': 'citizenId,locality\n1,Porto\n2,Porto\n' }, /no common column/);
  await stops({ 'p.csv': 'claim,record,same\n' }, /p\.csv: the file has no row after the header/);
  await stops(
    { 'r.csv': 'citizenId,givenName,familyName,birthDate\n' },
    /r\.csv: the file has no row after the header/,
  );
  await stops(
    { 'r.csv': `${people}A,Eva,Berg,1985-05-17\n` },
    /r\.csv, row 3: a citizenId of an earlier row; number of such rows: 1/,
  );
  await stops({ 'r.csv': `${people},Eva,Berg,1985-05-17\n` }, /r\.csv, row 3: no citizenId/);
  await stops({ 'r.csv': `${people}C,Eva,Berg\n` }, /row 3: it has 3 fields, the header 4/);
  await stops(
    { 'r.csv': people.replace(/\d{4}-\d\d-\d\d/g, '07.02.1980') },
    /birthDate is not a date of the form YYYY-MM-DD/,
  );
  const map = ['--columns', 'citizenId=citizenId,birthDate=birthDate:DD.MM.YYYY'] as const;
  await stops(
    {},
    /no row has a birth date in the expected form \(birthDate is not a date of the form DD\.MM\.YYYY\)/,
    ...map,
  );
  await stops({}, /r\.csv: there is no column id; the columns are citizenId, givenName/, '--columns', 'citizenId=id');
  await stops({}, /\/dev\/null: expected a regular file, received a pipe or a device/, '--pairs', '/dev/null');
});

test('a file that is not UTF-8 stops the evaluation', async (t) => {
  const cwd = makeIdentityFolder(t);
  writeFileSync(join(cwd, 'r.csv'), Buffer.from(people, 'latin1'));
  await assert.rejects(readCsvTable(join(cwd, 'r.csv')), /row 1: not UTF-8 text; convert the file/);
});

test('semicolons, date formats and the labels of other programs are read as in an import', async (t) => {
  const german = people
    .replaceAll(/(\d{4})-(\d\d)-(\d\d)/g, '$3.$2.$1')
    .replace('birthDate', 'dob')
    .replaceAll(',', ';');
  const labels = ['1.0 0.0 0 0', 't f F f', 'Yes no NO n', 'same different 0 0', 'TRUE False false FALSE'];
  for (const label of labels) {
    const [first, second, third, fourth] = label.split(' ');
    const texts = {
      'r.csv': german,
      'c.csv': german.replace('A;Zoë;Müller', '1;ZOE;Mueller').replace('B;Ana', '2;Eva'),
      'p.csv': `claim\trecord\tsame\n1\tA\t${first}\n1\tB\t${second}\n2\tB\t${third}\n2\tA\t${fourth}\n`,
    };
    const columns = 'citizenId=citizenId,givenName=givenName,familyName=familyName,birthDate=dob:DD.MM.YYYY';
    const { code, stdout, stderr } = await runWith(t, texts, '--columns', columns, '--policy', 'standard-2026-2');
    assert.equal(code, 0, stderr);
    const { truePairs, accepted, falsePairs, falseMatches } = JSON.parse(stdout);
    assert.deepEqual([truePairs, accepted, falsePairs, falseMatches], [1, 1, 3, 0], label);
  }
});

test('ids are equal in every Unicode normalization form, and a byte order mark before a mapping or policy is ignored', async (t) => {
  const [composed, parted] = ['\u00e9 1', 'e\u0301  1'];
  const texts = {
    'r.csv': people.replace('A,', `${composed},`),
    'c.csv': people.replace('A,', `${parted},`),
    'p.csv': `claim,record,same\n${composed},${parted},1\nB,${composed},0\n`,
    'map.json': '\ufeff{"citizenId":"citizenId","givenName":"givenName","birthDate":"birthDate"}',
    'town.json': '\ufeff{"name":"town-2026-1","basis":"standard-2026-2"}',
  };
  const { code, stdout, stderr } = await runWith(t, texts, '--columns', 'map.json', '--policy', 'town.json');
  assert.equal(code, 0, stderr);
  const { policy, truePairs, accepted, falsePairs } = JSON.parse(stdout);
  assert.deepEqual([policy, truePairs, accepted, falsePairs], ['town-2026-1', 1, 1, 1]);
});
