import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { locateJsonFault } from './locate-json-fault.ts';

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test('a text that is not JSON has the position of the first character that cannot follow', () => {
  const cases: ReadonlyArray<readonly [string, number, number]> = [
    ['', 1, 1],
    ['{', 1, 2],
    ['{"a":1,}', 1, 8],
    ['{\n  "a": 1,\n  "b": 2,\n}', 4, 1],
    ["{'a':1}", 1, 2],
    ['{"a":01}', 1, 7],
    ['{"a":1}}', 1, 8],
    ['[1 2]', 1, 4],
    ['[1,]', 1, 4],
    ['[1}', 1, 3],
    ['{"a":"b\nc"}', 1, 6],
    ['{"a" 1}', 1, 6],
    ['{"a":1\r\n"b":2}', 2, 1],
    ['["😀", x]', 1, 7],
    ['nul', 1, 1],
    [']', 1, 1],
  ];
  for (const [text, line, column] of cases) assert.deepEqual(locateJsonFault(text), { line, column }, text);
  assert.deepEqual(locateJsonFault('['.repeat(65_536)), { line: 1, column: 65_537 });
});

test('a text has a position of its fault if and only if JSON.parse refuses it', () => {
  const changed = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', ']', '"', '\\', '0', '-', 'e', '\n', '\u0001', ' ', 'é'))
    .map(([text, at, piece]) => {
      const cut = at % (text.length + 1);
      return [text.slice(0, cut) + piece + text.slice(cut), text.slice(0, cut) + piece + text.slice(cut + 1)];
    });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json().map((text) => [text]),
        changed,
      ),
      (texts) => {
        for (const text of texts) assert.equal(locateJsonFault(text) === undefined, isJson(text), text);
      },
    ),
    { numRuns: 2_000 },
  );
});
