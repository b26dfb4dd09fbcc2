import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { countLiteralSpreads, findCycles, measure } from '../../scripts/code-figures.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const script = resolve(import.meta.dirname, '../../scripts/check-code.ts');

function makeSource(files: Readonly<Record<string, readonly string[]>>): string {
  const folder = makeTestFolder('code-');
  for (const [path, lines] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${lines.join('\n')}\n`);
  }
  return folder;
}

const filler = (count: number) => Array.from({ length: count }, (_, row) => (row % 2 === 0 ? '  // Line.' : ''));

test('each check counts only the constructs that it names', () => {
  const files = {
    'src/a.ts': [
      "import type { B } from './b.ts';",
      '/** Documented. */',
      'export type A = { b: B; text: "any" };',
      '/** Another meaning. */',
      '',
      'export const A = 1;',
      'export function twice(): void;',
      'export function twice(): void {',
      "  throw new Error('plain');",
      '}',
      'const any: any = 0;',
    ],
    'src/b.ts': [
      "import { twice } from './a.ts';",
      '/** Documented. */',
      'export class B { run() { throw new TypeError(); } }',
      '/** Documented. */ export const twice = 1, other = 2;',
      "throw 'text';",
    ],
    'src/c.ts': [
      "import { B } from './b.ts';",
      'const long = () => {',
      ...filler(59),
      '};',
      "type D = import('./d.ts').D;",
    ],
    'src/d.ts': ['function short() {', ...filler(58), '}', "export { long } from './c.ts';"],
  };
  const folder = makeSource(files);
  const figures = measure(
    Object.keys(files).map((file) => join(folder, file)),
    folder,
  );
  const shown = Object.fromEntries(figures.map(({ name, value, places }) => [name, [value, ...places]]));
  assert.deepEqual(shown, {
    lines: [140],
    cycles: [2, 'src/a.ts, src/b.ts', 'src/c.ts, src/d.ts'],
    plainErrors: [33.3, 'src/a.ts:9'],
    longFunctions: [1, 'src/c.ts:2 61 lines'],
    repeatedNames: [1, 'twice: src/a.ts, src/b.ts'],
    undocumented: [42.9, 'src/a.ts:6 A', 'src/a.ts:7 twice', 'src/a.ts:8 twice'],
    anys: [1, 'src/a.ts:11'],
  });
});

test('only the spread of an object literal counts as a literal spread', () => {
  const folder = makeSource({
    'a.ts': ['const a = { ...b, ...(b ? { c: 1 } : {}) };', 'const d = {', '  ...{ e: 1 },', '  ...[{ f: 1 }],', '};'],
  });
  const { value, places } = countLiteralSpreads([join(folder, 'a.ts')], folder);
  assert.deepEqual([value, places], [1, ['a.ts:3']]);
});

test('files that import each other count as one cycle, and a chain of imports that does not return does not', () => {
  const graph = { a: ['b'], b: ['c', 'd'], c: ['a'], d: ['e', 'outside'], e: [], f: ['f'] };
  assert.deepEqual(findCycles(new Map(Object.entries(graph))), ['a, b, c', 'f']);
});

test('a count over its limit fails and lists the places, and a count under its limit prints a hint', () => {
  const folder = makeSource({
    'src/a.ts': ['/** A. */', 'export const a: any = 1;'],
    'src/a.test.ts': ['let x: any;'],
  });
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 1);
  assert.equal(stderr, 'check-code: anys: 1 exceeds the limit of 0\n');
  assert.match(
    stdout,
    /check-code: 2 lines in 1 files \(limit \d+, goal 48000\)\n {4}→ lower the limit of lines in .* to 2\n/,
  );
  assert.match(stdout, /check-code: 1 any \(limit 0, goal 0\)\n {4}src\/a\.ts:2\n$/);
});
