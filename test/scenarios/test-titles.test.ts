import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeTestFolder } from '../support/test-folder.ts';

const script = resolve(import.meta.dirname, '../../scripts/test-titles.ts');

/** Runs the script over one test file with these lines. */
function runOver(t: TestContext, lines: readonly string[], ...options: readonly string[]) {
  const folder = makeTestFolder('titles-');
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'src/auth'), { recursive: true });
  writeFileSync(join(folder, 'src/auth/token.test.ts'), `${lines.join('\n')}\n`);
  return spawnSync(process.execPath, [script, ...options], { cwd: folder, encoding: 'utf8' });
}

const good = [
  "suite('tokens', () => {",
  "  test('an expired token is refused', () => pattern.test('it works'));",
  '});',
  `const check = (claim: string, body: () => void) => test(\`\${engine.name}: \${claim}\`, body);`,
  'check(',
  "  'a token of a disabled client is refused',",
  '  () => undefined,',
  ');',
  `test(\`[R50] \${engine.name}: a token with \${what} is refused\`, () => undefined);`,
];

test('the list of titles has suites, placeholders and the titles that a function of the file passes on', (t) => {
  const { status, stdout } = runOver(t, good, '--folder', 'src');
  assert.deepEqual(
    [status, stdout.trimStart().split('\n')],
    [
      0,
      [
        'src/auth/',
        '  token.test.ts',
        '    (tokens)',
        '    an expired token is refused',
        '    a token of a disabled client is refused',
        `    [R50] \${engine.name}: a token with \${what} is refused`,
        '',
      ],
    ],
  );
  assert.match(runOver(t, good, '--folder', 'test').stderr, /^test-titles: no tests in /);
});

test('the check of titles accepts good titles, and reports each rejected shape with its line', (t) => {
  assert.equal(runOver(t, good, '--check').stdout, 'test-titles: 4 titles, 0 findings\n');
  const long = Array.from({ length: 26 }, () => 'token').join(' ');
  const bad = [
    'it refuses an expired token',
    'an expired token should be refused',
    'the name of a token is right',
    'a token from our clock is accepted',
    'an expired, invalid or … token is refused',
    'an expired token is refused.',
    'tokens are refused',
    long,
    long.slice(6),
    long.slice(6),
  ];
  const { status, stderr } = runOver(
    t,
    bad.map((title) => `test('${title}', run);`),
    '--check',
  );
  const found = [...stderr.matchAll(/^src\/auth\/token\.test\.ts:(\d+): (?:"([^"]+)"|(\d+ words)|(another test))/gm)];
  assert.deepEqual(
    [status, found.map(([, line, ...shapes]) => `${line} ${shapes.find((one) => one !== undefined)}`)],
    [1, ['1 it', '2 should', '3 is right', '4 our', '5 …', '6 .', '7 3 words', '8 26 words', '10 another test']],
  );
});
