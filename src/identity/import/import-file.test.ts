import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import fc from 'fast-check';
import { makeIdentityFolder } from '../../../test/support/identity-people.ts';
import { fingerprintOf, openImportFile } from './import-file.ts';
import { ImportFileFault, type ImportLine } from './read-blocks.ts';

async function readAll(
  path: string,
  format: 'csv' | 'jsonl',
  from = 0,
): Promise<{ header: readonly string[]; lines: ImportLine[] }> {
  await using file = await openImportFile(path, format, { columns: [], lists: new Set() });
  const lines: ImportLine[] = [];
  for await (const batch of file.lines(from)) lines.push(...batch);
  return { header: file.header, lines };
}

async function readText(t: TestContext, text: string | Uint8Array, format: 'csv' | 'jsonl' = 'csv') {
  const path = join(makeIdentityFolder(t), `file.${format}`);
  writeFileSync(path, text);
  return await readAll(path, format);
}

function outcomes(lines: readonly ImportLine[]): (readonly string[] | string)[] {
  return lines.map(({ fields, fault }) => (fault === undefined ? fields : `fault: ${fields.join('|')}`));
}

test('delimiter, byte order mark, line ends, blanks after commas and quotes are detected', async (t) => {
  const files = [
    'id, name\nA, Ann\nB, "Bo, B"\n',
    'id;name\r\nA;Ann\r\nB;"Bo, B"\r\n',
    'id\tname\nA\tAnn\nB\tBo, B',
    '\ufeffid,name\n\nA,Ann\n\nB,"Bo, B" \n\n',
    'id,name\rA,Ann\rB,"Bo, B"\r',
    '"id","name"\nA,Ann\r\nB,"Bo, B"\n',
    '\n \nid;name\nA;Ann\nB;"Bo, B"\n',
  ];
  for (const text of files) {
    const { header, lines } = await readText(t, text);
    assert.deepEqual(
      [header, outcomes(lines)],
      [
        ['id', 'name'],
        [
          ['A', 'Ann'],
          ['B', 'Bo, B'],
        ],
      ],
      JSON.stringify(text),
    );
    assert.equal(lines.at(-1)?.end === Buffer.byteLength(text) || text.endsWith('\n\n'), true);
  }
});

test('quoted text in the header does not influence the delimiter', async (t) => {
  const { header } = await readText(t, '"id";"name, given, as written";"x"\nA;Ann;1\n');
  assert.deepEqual(header, ['id', 'name, given, as written', 'x']);
});

test('a misplaced quote rejects only its own line', async (t) => {
  const inside = await readText(t, 'id,name\nA,"An"n\nB,B"o\nC,Cy\n');
  assert.deepEqual(outcomes(inside.lines), ['fault: A,"An"n', 'fault: B,B"o', ['C', 'Cy']]);
  const open = await readText(t, `id,name\nA,Ann\nB,"Bo\n${'C,Cy\n'.repeat(20_000)}D,"Di"\n`);
  assert.deepEqual(
    [outcomes(open.lines).slice(0, 3), open.lines.length],
    [[['A', 'Ann'], 'fault: B,"Bo', ['C', 'Cy']], 20_003],
  );
  const returns = await readText(t, 'id,name\rA,Ann\rB,"Bo\rC,C"y\rD,"D\ni"\r');
  assert.deepEqual(outcomes(returns.lines), [['A', 'Ann'], 'fault: B,"Bo', 'fault: C,C"y', ['D', 'D\ni']]);
  // For every end of the block that the layout is read from.
  const strange = `A,O"Neil\r${'B,"1 High Street\nTown"\r'.repeat(10)}`;
  assert.deepEqual(outcomes((await readText(t, `id,home\r${strange}`)).lines).slice(0, 2), [
    'fault: A,O"Neil',
    ['B', '1 High Street\nTown'],
  ]);
  for (const length of [65_535, 65_536, 65_537]) {
    const home = `1 High Street\n${'x'.repeat(length - 24)}`;
    assert.equal((await readText(t, `id,home\rA,"${home}"\rB,"Quay\n"\r`)).lines.length, 2, `${length}`);
  }
  const last = await readText(t, 'id,name\nA,Ann\nB,"Bo');
  assert.deepEqual(outcomes(last.lines), [['A', 'Ann'], 'fault: B,"Bo']);
});

test('a file that is not CSV or JSON lines is refused with advice', async (t) => {
  await assert.rejects(readText(t, ''), ImportFileFault);
  await assert.rejects(readText(t, 'id,name,id\nA,Ann,B\n'), /column id twice/);
  for (const mark of ['', '\ufeff']) {
    const text = Buffer.from(`${mark}id,name\nA,Ann\n`, 'utf16le');
    await assert.rejects(readText(t, text), /UTF-16/);
    await assert.rejects(readText(t, text.swap16()), /UTF-16/);
  }
  await assert.rejects(readText(t, '\n\n', 'jsonl'), /no JSON object/);
});

test('the columns of a file of JSON lines are the keys of all its lines', async (t) => {
  const text = '{"id":"A"}\n\n{"n":true}\n{"id":null,"n":[1]}\nnot json\n[1]\nnull\n7\n{"id":"Z","n":"é"}';
  const { header, lines } = await readText(t, text, 'jsonl');
  assert.deepEqual(header, ['id', 'n']);
  assert.deepEqual(outcomes(lines), [
    ['A', ''],
    ['', 'true'],
    'fault: {"id":null,"n":[1]}',
    'fault: not json',
    'fault: [1]',
    'fault: null',
    'fault: 7',
    ['Z', 'é'],
  ]);
  assert.equal(lines.at(-1)?.end, Buffer.byteLength(text));
});

test('a number keeps all its digits, and a line that is nested too deep is rejected', async (t) => {
  const ids = ['110101199003074578', '110101199003074579', '-12345678901234567890', '7'];
  const deep = `{"id":1234567890123456,"n":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const { lines } = await readText(t, `${ids.map((id) => `{"id":${id}}`).join('\n')}\n${deep}\n`, 'jsonl');
  const [last, ...others] = outcomes(lines).reverse();
  assert.deepEqual(
    others.reverse().map((fields) => fields[0]),
    ids,
  );
  assert.match(String(last), /^fault: /);
});

test('a read from the end of any record returns exactly the records after it', async (t) => {
  const path = join(makeIdentityFolder(t), 'any.csv');
  const value = fc.stringMatching(/^[a-zäé\u{1f600},;"\r\n ]{0,12}$/u).map((text) => text.trim());
  const rows = fc.array(fc.tuple(fc.constant('x'), value, value), { minLength: 1, maxLength: 12 });
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(rows, fc.constantFrom('\n', '\r\n'), fc.boolean(), async (table, newline, withBom) => {
      const body = table.map((row) => row.map(quote).join(',')).join(newline);
      writeFileSync(path, `${withBom ? '\ufeff' : ''}a,b,c${newline}${body}${newline}`);
      const { lines } = await readAll(path, 'csv');
      assert.deepEqual(outcomes(lines), table);
      for (const [at, { end }] of lines.entries()) {
        assert.deepEqual(outcomes((await readAll(path, 'csv', end)).lines), table.slice(at + 1));
      }
    }),
    { numRuns: 60 },
  );
});

test('records that cross block boundaries are complete', async (t) => {
  const rows = Array.from({ length: 9_000 }, (_, at) => [`id-${at}`, `Jürgen "the ${at}th", ${'é'.repeat(at % 40)}x`]);
  const csv = rows.map(([id = '', name = '']) => `${id},"${name.replaceAll('"', '""')}"`).join('\n');
  const json = rows.map(([id, name]) => JSON.stringify({ id, name })).join('\n');
  assert.deepEqual(outcomes((await readText(t, `id,name\n${csv}\n`)).lines), rows);
  assert.deepEqual(outcomes((await readText(t, json, 'jsonl')).lines), rows);
});

test('a changed byte or a changed option changes the fingerprint of a file', async (t) => {
  const path = join(makeIdentityFolder(t), 'f.csv');
  writeFileSync(path, 'id\nA\n');
  const first = await fingerprintOf(path, { format: 'csv' });
  assert.equal(await fingerprintOf(path, { format: 'csv' }), first);
  assert.notEqual(await fingerprintOf(path, { format: 'jsonl' }), first);
  writeFileSync(path, 'id\nB\n');
  assert.notEqual(await fingerprintOf(path, { format: 'csv' }), first);
});
