import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { type Engine, engines } from '../../../test/support/database-engines.ts';
import { openIdentityApp } from '../../../test/support/identity-app.ts';
import { makeIdentityFolder } from '../../../test/support/identity-people.ts';
import { testDataPath, testDataSkipReason } from '../../../test/support/test-data.ts';
import { createContactDetails } from '../register/contact-details.ts';
import { type ImportOptions, importCitizens } from './import-citizens.ts';

type Rows = Readonly<Record<string, readonly number[]>>;
/** The number of stored rows, and the first rows of each reason and remark; or the message of a file that is refused. */
type Expected = RegExp | readonly [stored: number, rows?: Rows];

const notUtf8 = 'is not UTF-8 text; convert the file to UTF-8, for example with iconv';
const noDate = 'birthDate is not a date of the form YYYY-MM-DD, YYYYMMDD, YYYY-MM or YYYY';
const otherTime =
  'birthDate has a time other than midnight, so a time zone may have changed its day; export the date without the time';
const noPhone = 'phone is not a valid number with its country code, or of the country PHONE_COUNTRY; stored unchanged';
const noEmail = 'email is not a valid address; stored unchanged';
const unquoted = 'a value contains a quote; put the value in quotes, and write each quote in it twice';
const nested = 'a value is a list or an object; expected a text';

const expectations: Readonly<Record<string, Expected>> = {
  'addr.csv': [24],
  'array.jsonl': /no JSON object/,
  'blank-lines.csv': [1, { 'citizenId is empty': [2] }],
  'bom-quoted.csv': [1],
  'bom-semi-crlf.csv': [1],
  'bom.csv': [1],
  'c1.jsonl': [4, { [nested]: [4] }],
  'contacts1.csv': [59, { [noPhone]: [15, 16, 21, 22, 23], [noEmail]: [27, 33, 34, 35, 36] }],
  'cr-only.csv': [2],
  'ctrl-z.csv': [1, { 'the row has 1 fields, the header 4': [2] }],
  'dob.csv': [22, { 'birthDate does not exist in the calendar; only its month or year is stored': [6, 7, 8, 9] }],
  'dup-header.csv': /column notes twice/,
  'dupkey.jsonl': [1, { 'givenName contains U+0000': [2], [`givenName ${notUtf8}`]: [3], [nested]: [4] }],
  'empty-headers.csv': [1],
  'empty.csv': /the file is empty/,
  'excel-dates.csv': [2, { [noDate]: [1, 2, 4, 5], [otherTime]: [6] }],
  'header-camel-ws.csv': [1],
  'header-case-space.csv': [1],
  'header-only.csv': [0],
  'inner-quote.csv': [1, { [unquoted]: [1] }],
  'latin1.csv': [1, { [`familyName ${notUtf8}`]: [1] }],
  'missing-trailing.csv': [0, { 'the row has 4 fields, the header 6': [1] }],
  'mixed-eol.csv': [2],
  'names1.csv': [50, { 'familyName contains an HTML entity (&amp;, &#39; or another); stored unchanged': [9, 10] }],
  'names2.csv': [54],
  'names3.csv': [46],
  'nbsp-delim.csv': [1],
  'no-final-eol.csv': [1],
  'nul-in-unmapped.csv': [1],
  'nul.csv': [0, { 'givenName contains U+0000': [1] }],
  'open-quote.csv': [1, { 'a quote is not closed, or the record has more than 65536 bytes': [1] }],
  'pipe.csv': /no column has a usual name for citizenId/,
  'proto-__proto__.jsonl': [3],
  'proto-constructor.jsonl': [3],
  'proto-hasOwnProperty.jsonl': [3],
  'proto-length.jsonl': [3],
  'proto-toString.jsonl': [3],
  'proto-valueOf.jsonl': [3],
  'proto.csv': [1],
  'quoted-newline.csv': [1],
  'sci-id.csv': [2, { [unquoted]: [2] }],
  'sep-line.csv': [1],
  'smartquotes.csv': [1],
  'title-line.csv': /no column has a usual name for citizenId/,
  'trailing-delim-rows-only.csv': [0, { 'the row has 5 fields, the header 4': [1] }],
  'trailing-delim.csv': [1],
  'tz-dates.csv': [2, { [otherTime]: [1, 2] }],
  'tz-sql.csv': [2, { [noDate]: [3] }],
  'utf16be.csv': /UTF-16/,
  'utf16le.csv': /UTF-16/,
};

const folder = testDataPath('bugs/import');

async function openImport(t: TestContext, engine: Engine, phoneCountry: string | undefined) {
  const app = await openIdentityApp(t, engine);
  return {
    contactOf: createContactDetails(app.ports.register, { phoneCountry, registerCountry: undefined }),
    read: app.db.read,
    importFile: async (path: string, mapping?: ImportOptions['mapping']) => {
      const { progress } = await importCitizens(
        { ...app.importDeps, settings: { phoneCountry } },
        {
          path,
          format: path.endsWith('.jsonl') ? 'jsonl' : 'csv',
          mapping,
          conditions: [],
          dryRun: false,
          restart: true,
          actor: { operator: 'test' },
        },
      );
      return progress;
    },
  };
}

/** Imports a file of this text, and returns the values of these columns by citizen, with the first rows of each remark. */
async function importText(t: TestContext, [name, text]: readonly [string, string], columns: string) {
  const [engine] = engines;
  assert.ok(engine);
  const app = await openImport(t, engine, 'GB');
  const path = join(makeIdentityFolder(t), name);
  writeFileSync(path, text);
  const { firstRows } = await app.importFile(path);
  const rows = await app.read(`select ${columns} from citizen order by citizen_id`);
  return { rows: rows.map((row) => Object.values(row)), firstRows };
}

for (const engine of engines) {
  test(`${engine.name}: each faulty file is imported or refused, and its faulty rows are reported`, async (t) => {
    if (folder === undefined) return t.skip(testDataSkipReason);
    assert.deepEqual(readdirSync(folder).sort(), Object.keys(expectations).sort());
    const app = await openImport(t, engine, 'GB');
    for (const [name, expected] of Object.entries(expectations)) {
      const importing = app.importFile(join(folder, name));
      if (expected instanceof RegExp) {
        await assert.rejects(importing, expected, name);
        continue;
      }
      const { stored, firstRows } = await importing;
      assert.deepEqual([stored, firstRows], [expected[0], expected[1] ?? {}], name);
    }
  });

  test(`${engine.name}: a phone number can be used if and only if it is stored without a remark`, async (t) => {
    if (folder === undefined) return t.skip(testDataSkipReason);
    const phonesOf = async (country: string | undefined) => {
      const app = await openImport(t, engine, country);
      const { remarks } = await app.importFile(join(folder, 'contacts1.csv'));
      const phones = Array.from({ length: 23 }, async (_, at) => (await app.contactOf(`ph-${at}`))?.phone ?? '');
      const usable = (await Promise.all(phones)).filter((phone) => /^\+\d+$/.test(phone));
      return { unusable: remarks[noPhone], usable: Object.groupBy(usable, (phone) => phone) };
    };
    const counts = async (country: string | undefined) => {
      const { unusable, usable } = await phonesOf(country);
      return [unusable, Object.fromEntries(Object.entries(usable).map(([phone, all]) => [phone, all?.length]))];
    };
    const others = { '+12025550147': 1, '+491701234567': 1 };
    assert.deepEqual(await counts('GB'), [5, { ...others, '+447700900123': 16 }]);
    assert.deepEqual(await counts(undefined), [7, { ...others, '+447700900123': 14 }]);
  });
}

test('invisible characters are removed from names, addresses and lists of former names, and the spelling of Persian names stays', async (t) => {
  const persian = '\u0639\u0644\u06cc\u200c\u0631\u0636\u0627';
  const row = {
    citizenId: 'A',
    givenName: `\u200f${persian}\u200f`,
    familyName: '\u202aO\u00adNeil\u202c\u200b',
    email: '\ufeffada@exam\u200bple.org',
    phone: '\u2068+44 7700 900123\u2069',
    formerNames: [{ familyName: 'Sm\u00adith\u200e' }],
  };
  const { rows, firstRows } = await importText(
    t,
    ['people.jsonl', JSON.stringify(row)],
    'given_name, family_name, email, phone, former_names',
  );
  assert.deepEqual(rows, [[persian, 'ONeil', 'ada@example.org', '+44 7700 900123', '[{"familyName":"Smith"}]']]);
  assert.deepEqual(firstRows, {});
});

test('an HTML entity in a name, an address or a former name is reported by its field and stored as written', async (t) => {
  const names = ['O&#39;Bryan', 'O&#x27;Bryan', 'M&uuml;ller', 'Smith & Sons; Ltd', 'AT&T'];
  const people = names.map((familyName, at) => ({
    citizenId: `A${at}`,
    familyName,
    streetAddress: at === 0 ? '1 High &amp; Low' : '',
    formerNames: at === 4 ? [{ familyName: 'O&#39;Bryan' }] : [],
  }));
  const text = people.map((person) => JSON.stringify(person)).join('\n');
  const { rows, firstRows } = await importText(t, ['people.jsonl', text], 'family_name');
  assert.deepEqual(rows.flat(), names);
  const remark = 'contains an HTML entity (&amp;, &#39; or another); stored unchanged';
  assert.deepEqual(firstRows, {
    [`familyName ${remark}`]: [1, 2, 3],
    [`streetAddress ${remark}`]: [1],
    [`formerNames ${remark}`]: [5],
  });
});

test('a date with a time is accepted at midnight, and refused at any other time', async (t) => {
  const day = '1980-02-07';
  const midnights = ['', ' 00:00', ' 00:00:00', 'T00:00:00Z', 'T00:00:00.000Z', 'T00:00:00+01:00', ' 00:00:00+01'];
  const others = ['T23:00:00.000Z', ' 23:59', 'T00:00:01', 'T12:00Z', ' 00:30:00+01'];
  const text = `id,dob\n${[...midnights, ...others].map((time, at) => `${String.fromCharCode(65 + at)},${day}${time}`).join('\n')}\n`;
  const { rows, firstRows } = await importText(t, ['people.csv', text], 'birth_date');
  assert.deepEqual(
    rows.flat(),
    midnights.map(() => day),
  );
  assert.deepEqual(firstRows, { [otherTime]: [8, 9, 10, 11, 12] });
});

test('a first line that states the delimiter is not the header', async (t) => {
  const rows = async (text: string) => (await importText(t, ['people.csv', text], 'citizen_id, family_name')).rows;
  const expected = [
    ['A', 'Li, Wu'],
    ['B', 'Ó Briain'],
  ];
  assert.deepEqual(await rows('sep=;\r\nid;surname\r\nA;Li, Wu\r\nB;Ó Briain\r\n'), expected);
  assert.deepEqual(await rows('\ufeff"sep=\t"\nid\tsurname\nA\tLi, Wu\nB\tÓ Briain\n'), expected);
});
