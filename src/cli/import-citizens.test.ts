import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { type Engine, engines } from '../../test/support/database-engines.ts';
import { openIdentityApp } from '../../test/support/identity-app.ts';
import { makeIdentityFolder } from '../../test/support/identity-people.ts';
import { type ImportDeps, importCitizens } from '../identity/import/import-citizens.ts';
import { parseInlineMapping, parseMapping } from '../identity/import/import-fields.ts';
import { runCommandLine } from './command.ts';
import type { WithContext } from './command-context.ts';
import { importCommands } from './import-citizens.ts';

/** A command line on a new database. Returns its output and its exit code. */
async function openCommandLine(t: TestContext) {
  const app = await openIdentityApp(t, engines[0] as Engine);
  let opened = 0;
  const folder = makeIdentityFolder(t);
  return {
    file: (name: string, text: string) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
    opened: () => opened,
    importDeps: app.importDeps,
    events: () => app.events(),
    run: async (...args: string[]) => await runAt(0, ...args),
    runAt,
  };

  async function runAt(now: number, ...args: string[]) {
    const printed = { stdout: '', stderr: '' };
    const terminal = {
      stdout: (text: string) => {
        printed.stdout += text;
      },
      stderr: (text: string) => {
        printed.stderr += text;
      },
      isInteractive: false,
      cwd: folder,
    };
    const openContext: WithContext<ImportDeps & { readonly operator: string }> = async (use) => {
      opened += 1;
      return await use({ ...app.importDeps, clock: { now: () => now }, operator: 'ann' });
    };
    const code = await runCommandLine(['citizens', 'import', ...args], importCommands(openContext, terminal), terminal);
    return { code, ...printed };
  }
}

// The clock of these tests starts in 1970.
const people = 'rec_id,surname,born\nrec-1-org,Ann,07.02.1980\nrec-1-dup-0,An,07.02.1980\nrec-2-org,Bo,1990\n';
const inline = 'citizenId=rec_id,familyName=surname,birthDate=born:DD.MM.YYYY';

test('an import prints text for people on standard error and, with --json, one object on standard output', async (t) => {
  const line = await openCommandLine(t);
  const path = line.file('people.csv', people);
  const { code, stdout, stderr } = await line.run(path, '--map', inline, '--where', 'rec_id=*-org', '--json');
  assert.equal(code, 0);
  const { importId, ...result } = JSON.parse(stdout);
  assert.match(importId, /^imp_/);
  assert.deepEqual(result, {
    status: 'finished',
    resumed: false,
    read: 3,
    stored: 1,
    usable: 1,
    refused: 1,
    leftOut: 1,
    reasons: { 'birthDate is not a date of the form DD.MM.YYYY': 1 },
    remarks: { 'birthDate is in the future; stored unchanged': 1 },
    firstRows: {
      'birthDate is in the future; stored unchanged': [1],
      'birthDate is not a date of the form DD.MM.YYYY': [3],
    },
    mapping: {
      citizenId: { columns: ['rec_id'] },
      familyName: { columns: ['surname'] },
      birthDate: { columns: ['born'], dateFormat: 'DD.MM.YYYY' },
    },
    seconds: 0,
  });
  assert.equal(
    stderr.replace(importId, 'imp'),
    `100 %, 3 rows, 0/s, 1 refused, 0 s left
Imported (imp): 3 rows read, 1 stored, 1 refused, 1 skipped by --where; 0.0 s.
  1 refused: birthDate is not a date of the form DD.MM.YYYY (row 3)
  1 stored: birthDate is in the future; stored unchanged (row 1)
To write the refused rows to a file, add --errors FILE.
`,
  );
  const again = await line.run(path, '--map', inline, '--where', 'rec_id=*-org', '--json');
  assert.equal(JSON.parse(again.stdout).status, 'already-finished');
  assert.match(again.stderr, /already imported \(imp_\w+, 1 rows\)\. To import it again, add --restart\./);
  assert.equal((await line.run(path, '--map', inline)).stdout, '');
});

test('a mapping in a file and the same mapping on the command line have the same result', async (t) => {
  const line = await openCommandLine(t);
  line.file(
    'map.json',
    '{"citizenId":"rec_id","familyName":"surname","birthDate":{"column":"born","format":"DD.MM.YYYY"}}',
  );
  const path = line.file('people.csv', people);
  const one = JSON.parse((await line.run('people.csv', '--map', 'map.json', '--dry-run', '--json')).stdout);
  const other = JSON.parse((await line.run(path, '--map', inline, '--dry-run', '--json')).stdout);
  assert.deepEqual(one, other);
  assert.deepEqual([one.status, one.importId, one.stored, one.usable], ['checked', null, 0, 2]);
});

test('wrong usage gives exit code 2 before a database is opened', async (t) => {
  const line = await openCommandLine(t);
  const path = line.file('people.csv', people);
  const notJson = line.file('map.json', '{');
  const wrong = [
    [],
    [join(path, 'absent')],
    [path, path],
    [path, '--format', 'xml'],
    [path, '--map', 'absent.json'],
    [path, '--map', notJson],
    [path, '--map', 'surname=rec_id'],
    [path, '--where', 'rec_id'],
    [path, '--unknown'],
  ];
  const codes = await Promise.all(wrong.map(async (args) => (await line.run(...args)).code));
  assert.deepEqual(
    codes,
    codes.map(() => 2),
  );
  assert.equal(line.opened(), 0);
});

test('a file that cannot be imported gives exit code 1 with the reason', async (t) => {
  const line = await openCommandLine(t);
  const empty = await line.run(line.file('empty.csv', ''));
  assert.deepEqual(
    [empty.code, empty.stderr],
    [1, 'the file is empty; a CSV file begins with a line of column names\n'],
  );
  const quoted = await line.run(line.file('quoted.csv', '"id,surname\nA,Ann\n'));
  assert.deepEqual(
    [quoted.code, quoted.stderr],
    [1, 'the line of column names: a quote is not closed, or the record has more than 65536 bytes\n'],
  );
  const noId = await line.run(line.file('names.csv', 'name\nAnn\n'));
  assert.deepEqual(
    [noId.code, noId.stderr],
    [1, 'no column has a usual name for citizenId; name its column in the mapping\n'],
  );
});

test('the ledger names the operator of an import, and the help shows a valid mapping', async (t) => {
  const line = await openCommandLine(t);
  await line.run(line.file('people.csv', 'id,surname\nA,Ann\n'));
  assert.deepEqual(
    (await line.events()).map(({ type, actor, rows }) => [type, actor, rows]),
    [
      ['register.imported', { operator: 'ann' }, 0],
      ['register.imported', { operator: 'ann' }, 1],
      ['register.counted', { operator: 'ann' }, undefined],
    ],
  );
  const help = (await line.run('--help')).stdout;
  const example = help.slice(help.indexOf('{ "citizenId"'), help.indexOf('}\n\nOn the command line') + 1);
  const shown = /^ {2}--map (citizenId\S+)$/m.exec(help)?.[1] ?? '';
  const { birthDate, familyName } = parseMapping(JSON.parse(example));
  assert.deepEqual(familyName, { columns: ['surname'] });
  assert.deepEqual({ ...birthDate, columns: ['born'] }, parseInlineMapping(shown).birthDate);
});

test('the next import counts the register once if the previous one ended before its count', async (t) => {
  const line = await openCommandLine(t);
  const path = line.file('people.csv', 'citizenId,familyName\nA,Ann\nB,Bo\n');
  const how = { format: 'csv', conditions: [], dryRun: false, restart: false } as const;
  await line.run(line.file('first.csv', 'citizenId,familyName\nC,Cy\n'));
  await importCitizens({ ...line.importDeps, clock: { now: () => 1 } }, { ...how, path, actor: { operator: 'ann' } });
  const counts = async () => (await line.events()).filter(({ type }) => type === 'register.counted').length;
  const found: number[] = [await counts()];
  for (const now of [2, 3]) {
    const { stderr } = await line.runAt(now, path);
    assert.match(stderr, /^This file is already imported/);
    found.push(await counts());
  }
  assert.deepEqual(found, [1, 2, 2]);
});
