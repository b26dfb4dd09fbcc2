import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { type Engine, engines } from '../../../test/support/database-engines.ts';
import { type IdentityApp, openIdentityApp } from '../../../test/support/identity-app.ts';
import { makeIdentityFolder } from '../../../test/support/identity-people.ts';
import { WriteUnknown } from '../../db/database.ts';
import { citizenIdRequirement } from '../../kernel/id.ts';
import { ConcurrentImport, importCitizens } from './import-citizens.ts';

const order = {
  format: 'csv',
  conditions: [],
  dryRun: false,
  restart: false,
  actor: { operator: 'test' },
} as const;

async function stored(app: IdentityApp): Promise<unknown[][]> {
  const sql = `select c.citizen_id, given_name, family_name, birth_date, family_key, wrapped is null as keyless
    from citizen c left join citizen_key k on k.citizen_id = c.citizen_id order by c.citizen_id`;
  return (await app.db.read(sql)).map((row) => Object.values(row).map((value) => (value === 0 ? false : value)));
}

function fileOf(t: TestContext, text: string): string {
  const path = join(makeIdentityFolder(t), 'people.csv');
  writeFileSync(path, text);
  return path;
}

/** A file with this number of people. */
function peopleFile(t: TestContext, count: number): string {
  const rows = Array.from({ length: count }, (_, at) => `C-${at},Given ${at},Family ${at},1980-01-01`);
  return fileOf(t, `citizenId,givenName,familyName,birthDate\n${rows.join('\n')}\n`);
}

async function openApp(t: TestContext, engine: Engine) {
  return await openIdentityApp(t, engine);
}

for (const engine of engines) {
  test(`${engine.name}: a flag is read in the spellings of databases, and any other text rejects its row`, async (t) => {
    const app = await openApp(t, engine);
    const marked = ['t', 'TRUE', ' yes ', 'Y', '1', 'f', 'false', 'no', 'N', '0', '', 'ja', 'locked', '2'];
    const path = fileOf(
      t,
      `id,locked\n${marked.map((mark, at) => `${String.fromCharCode(65 + at)},${mark}`).join('\n')}\n`,
    );
    const { progress } = await app.importFile({ path });
    assert.deepEqual(progress.reasons, { 'locked is neither true, t, yes, y, 1 nor false, f, no, n, 0': 3 });
    const rows = await app.db.read('select citizen_id, locked from citizen order by citizen_id');
    assert.deepEqual(
      rows.map((row) => row['locked']),
      [true, true, true, true, true, false, false, false, false, false, false],
    );
  });

  test(`${engine.name}: a member that only later JSON lines have is imported`, async (t) => {
    const app = await openApp(t, engine);
    const path = fileOf(t, '{"citizenId":"A"}\n{"citizenId":"B","familyName":"Berg","locked":true}\n');
    await app.importFile({ path, format: 'jsonl' });
    const rows = await app.db.read('select family_name, locked from citizen order by citizen_id');
    assert.deepEqual(
      rows.map((row) => [row['family_name'], row['locked']]),
      [
        [null, false],
        ['Berg', true],
      ],
    );
  });

  test(`${engine.name}: a birth date of zeros is stored as no date`, async (t) => {
    const app = await openApp(t, engine);
    await app.importFile({ path: fileOf(t, 'id,dob\nA,0000-00-00\nB,00000000\nC,1980-00-00\n') });
    const rows = await app.db.read('select birth_date from citizen order by citizen_id');
    assert.deepEqual(
      rows.map((row) => row['birth_date']),
      [null, null, '1980'],
    );
  });

  test(`${engine.name}: each row becomes a citizen with a key, and a later import updates the citizen`, async (t) => {
    const app = await openApp(t, engine);
    const path = fileOf(
      t,
      'id,firstname,surname,dob\nA,Ann,Müller,19800207\nB,Bo,,1990-00-00\nA,Anna,Mueller,1980-02-07\n',
    );
    const first = await app.importFile({ path });
    assert.deepEqual(await stored(app), [
      ['A', 'Anna', 'Mueller', '1980-02-07', 'muler', false],
      ['B', 'Bo', null, '1990', 'bo', false],
    ]);
    const keys = await app.db.read('select wrapped from citizen_key order by citizen_id');
    const later = await app.importFile({ path: fileOf(t, 'id,surname\nB,Ohne\n') });
    assert.deepEqual((await stored(app))[1], ['B', 'Bo', 'Ohne', '1990', 'ohne', false]);
    assert.deepEqual(await app.db.read('select wrapped from citizen_key order by citizen_id'), keys);
    await app.importFile({ path: fileOf(t, 'id,firstname\nA,Eve\nD,Dee\n') });
    assert.deepEqual(
      (await stored(app)).map(([id, given, , , key]) => [id, given, key]),
      [
        ['A', 'Eve', 'muler'],
        ['B', 'Bo', 'ohne'],
        ['D', 'Dee', 'de'],
      ],
    );
    assert.deepEqual(
      [first, later].map(({ began, progress: { read, stored: rows, refused, finished } }) => [
        began,
        read,
        rows,
        refused,
        finished,
      ]),
      [
        ['new', 3, 3, 0, true],
        ['new', 1, 1, 0, true],
      ],
    );
  });

  test(`${engine.name}: a file with other content is not used as the error file`, async (t) => {
    const app = await openApp(t, engine);
    const path = fileOf(t, 'id;surname;dob\nA;Ann;1980-02-07\n;Nobody;1980-02-07\n');
    const errorsPath = fileOf(t, 'id;surname\nB;Bo\n');
    await assert.rejects(app.importFile({ path, errorsPath }), /is not a file of rejected rows/);
    assert.equal(readFileSync(errorsPath, 'utf8'), 'id;surname\nB;Bo\n');
    assert.deepEqual(await stored(app), []);
    const earlier = fileOf(t, 'importError,id\r\nold,X\r\n');
    await app.importFile({ path, errorsPath: earlier });
    assert.doesNotMatch(readFileSync(earlier, 'utf8'), /old/);
  });

  test(`${engine.name}: a rejected row is written to the error file, and its corrected copy is imported`, async (t) => {
    const app = await openApp(t, engine);
    const path = fileOf(
      t,
      `id;surname;dob\nA;Ann;1980-02-07\n;Nobody;1980-02-07\nC;"Li; ""x""";7.2.80\nD;Dee\nE;"Ed"x;1980\nF;${'f'.repeat(201)};1980\nG;=1+1;80\nH;Hy;1980-02-30\n`,
    );
    const errorsPath = join(makeIdentityFolder(t), 'errors.csv');
    const { progress } = await app.importFile({ path, errorsPath });
    assert.deepEqual(
      [progress.read, progress.stored, progress.refused, progress.reasons, progress.remarks],
      [
        8,
        2,
        6,
        {
          'citizenId is empty': 1,
          'birthDate is not a date of the form YYYY-MM-DD, YYYYMMDD, YYYY-MM or YYYY': 2,
          'the row has 2 fields, the header 3': 1,
          'a value contains a quote; put the value in quotes, and write each quote in it twice': 1,
          'familyName has more than 200 characters': 1,
        },
        { 'birthDate does not exist in the calendar; only its month or year is stored': 1 },
      ],
    );
    const errors = readFileSync(errorsPath, 'utf8').split('\r\n');
    assert.deepEqual(
      [errors[0], errors[1], errors[2], errors[6]],
      [
        'importError,id,surname,dob',
        'citizenId is empty,,Nobody,1980-02-07',
        '"birthDate is not a date of the form YYYY-MM-DD, YYYYMMDD, YYYY-MM or YYYY",C,"Li; ""x""",7.2.80',
        '"birthDate is not a date of the form YYYY-MM-DD, YYYYMMDD, YYYY-MM or YYYY",G," =1+1",80',
      ],
    );
    const corrected = fileOf(t, `${errors[0]}\r\n${errors[2]?.replace('7.2.80', '1980-02-07')}\r\n`);
    await app.importFile({ path: corrected });
    assert.deepEqual(
      (await stored(app)).map(([id, , family, birth]) => [id, family, birth]),
      [
        ['A', 'Ann', '1980-02-07'],
        ['C', 'Li; "x"', '1980-02-07'],
        ['H', 'Hy', '1980-02'],
      ],
    );
  });

  test(`${engine.name}: a stopped import continues, a finished one reports that, and restart starts from the first row`, async (t) => {
    const app = await openApp(t, engine);
    const path = peopleFile(t, 2_500);
    let chunks = 0;
    const stopping = {
      ...app.importDeps,
      commit: async (effect: Parameters<typeof app.importDeps.commit>[0]) => {
        chunks += 1;
        if (chunks === 3) throw new WriteUnknown('connection lost');
        return await app.importDeps.commit(effect);
      },
    };
    await assert.rejects(importCitizens(stopping, { ...order, path }), WriteUnknown);
    assert.equal((await stored(app)).length, 1_024);
    const resumed = await app.importFile({ path });
    const again = await app.importFile({ path });
    const restarted = await app.importFile({ path, restart: true });
    assert.deepEqual(
      [resumed, again, restarted].map(({ began, readBefore, progress }) => [
        began,
        readBefore,
        progress.read,
        progress.stored,
      ]),
      [
        ['resumed', 1_024, 2_500, 2_500],
        ['already-finished', 2_500, 2_500, 2_500],
        ['new', 0, 2_500, 2_500],
      ],
    );
    assert.equal((await stored(app)).length, 2_500);
    const events = (await app.events()).map(({ rows, finished }) => [rows, finished]);
    const run = [
      [0, false],
      [1_024, false],
      [2_048, false],
      [2_500, true],
    ];
    assert.deepEqual(events, [...run, ...run]);
  });

  test(`${engine.name}: one of two concurrent imports of the same file is refused`, async (t) => {
    const app = await openApp(t, engine);
    const path = peopleFile(t, 2_500);
    let other: Promise<unknown> | undefined;
    const first = importCitizens(
      {
        ...app.importDeps,
        commit: async (effect) => {
          const rows = await app.importDeps.commit(effect);
          other ??= app.importFile({ path });
          await other;
          return rows;
        },
      },
      { ...order, path },
    );
    await assert.rejects(first, ConcurrentImport);
    assert.equal((await stored(app)).length, 2_500);
  });

  test(`${engine.name}: a dry run reports all rows and stores nothing`, async (t) => {
    const app = await openApp(t, engine);
    const path = fileOf(t, 'id,surname,dob\nA,Ann,1980-02-07\nB,Bo,x\n');
    const { progress } = await app.importFile({ path, dryRun: true });
    assert.deepEqual([progress.read, progress.stored, progress.refused], [2, 1, 1]);
    assert.deepEqual(
      [await stored(app), await app.events(), await app.db.read('select id from register_import')],
      [[], [], []],
    );
  });
}

test('only rows that meet every condition are imported', async (t) => {
  const app = await openApp(t, engines[0] as Engine);
  const path = fileOf(t, 'rec_id, surname, state\nrec-1-org, a, v.c\nrec-1-dup-0, a, v.c\nrec-2-org, b, vic\n');
  const conditions = [
    { column: 'rec_id', pattern: 'rec-*-org' },
    { column: 'state', pattern: 'v.c' },
  ];
  const { progress } = await app.importFile({ path, conditions });
  assert.deepEqual([progress.read, progress.stored, progress.leftOut], [3, 1, 2]);
});

test('text that is not UTF-8 is rejected, and not stored with replacement characters', async (t) => {
  const app = await openApp(t, engines[0] as Engine);
  const path = fileOf(t, '');
  writeFileSync(path, Buffer.from('id,surname\nA,M\xfcller\nB,Bo\n', 'latin1'));
  const { progress } = await app.importFile({ path });
  assert.deepEqual(
    [progress.stored, progress.reasons],
    [1, { 'familyName is not UTF-8 text; convert the file to UTF-8, for example with iconv': 1 }],
  );
});

test('a row is rejected if a deposit could not name its id', async (t) => {
  const app = await openApp(t, engines[0] as Engine);
  const ids = ['A\tB', 'A\u0085B', 'A\u001bB', 'A\u2028B', 'A B', 'Ä\u200e1'];
  const { progress } = await app.importFile({ path: fileOf(t, `id,surname\n${ids.join(',Ann\n')},Ann\n`) });
  assert.deepEqual([progress.stored, progress.reasons], [2, { [`citizenId ${citizenIdRequirement}`]: 4 }]);
});

test('a mapping to a missing column is refused with the names of the existing columns', async (t) => {
  const app = await openApp(t, engines[0] as Engine);
  const path = fileOf(t, 'id,surname\nA,Ann\n');
  const mapping = { citizenId: { columns: ['id'] }, familyName: { columns: ['name'] } };
  await assert.rejects(
    app.importFile({ path, mapping }),
    /familyName: the file has no column name; it has id, surname/,
  );
});
