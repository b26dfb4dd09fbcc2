import assert from 'node:assert/strict';
import test from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { createCsvRecordReader } from './csv-record.ts';

const delimiters = [',', ';', '\t'] as const;

/** What the parser makes of a line; undefined for a fault. */
function parsed(line: string, delimiter: string): string[][] | undefined {
  try {
    return parse(line, {
      ...{ delimiter, record_delimiter: ['\n'], trim: true, relax_column_count: true, skip_empty_lines: true },
    });
  } catch {
    return undefined;
  }
}

test('a line is read as the parser reads it, or left to the parser', () => {
  const odd = fc.constantFrom('a', 'é', 'ł', '"', '""', '","', ' ', '\r', '\u00a0', '\ufeff', '\u3000');
  const usual = fc.constantFrom(',', ';', '\t', ',"a, b",', ';"é ""c""" ;', '\t"ł\t"\t');
  const part = fc.oneof(odd, usual);
  let read = 0;
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.constantFrom(...delimiters), (parts, delimiter) => {
      const line = parts.join('');
      const fields = createCsvRecordReader(delimiter)(line);
      if (fields === undefined) return;
      if (line.includes('"')) read += 1;
      assert.deepEqual(fields.length === 0 ? [] : [fields], parsed(line, delimiter));
    }),
    { numRuns: 5_000 },
  );
  assert.equal(read > 500, true, `${read} lines with quotes were read`);
});

test('a line with quotes is left to the parser only where they are not closed or stand out of place', () => {
  const read = createCsvRecordReader(',');
  assert.deepEqual(read('1, "4 Mill Lane, Bristol" ,"the ""Oak""",\r'), ['1', '4 Mill Lane, Bristol', 'the "Oak"', '']);
  assert.deepEqual([read('""'), read(' \r'), read(',')], [[''], [], ['', '']]);
  assert.deepEqual(['1,"Mill', '1,"Mill" Lane', '1,O"Neil', '1,""Oak""'].map(read), [
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('a line without an end in sight is looked through once', () => {
  const read = createCsvRecordReader(',');
  for (const line of [`${' '.repeat(60_000)}x"`, `"${'""'.repeat(30_000)}x`, `"a"${' '.repeat(60_000)}x`]) {
    assert.equal(read(line), undefined);
  }
});
