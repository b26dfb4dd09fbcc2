import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { findInFile, findInSubject } from '../../scripts/prose-findings.ts';
import { readSource, UnreadableSource } from '../../scripts/prose-text.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const script = resolve(import.meta.dirname, '../../scripts/check-prose.ts');

/** Line and finding of each match in a source file. */
function found(text: string, path = 'src/thing.ts'): string[] {
  return findInFile(path, text).map(({ line, found }) => `${line} ${found}`);
}

test('the tokenizer finds comments, strings and titles next to templates, regular expressions and divisions', () => {
  const text = [
    `const a = 'first string' + \`before \${fn({ b: '}' }, \`inner \${a} words\`)} after it\`; // line one`,
    '// line two',
    'const c = /[`\'"/]#/.test(a) ? x / 2 / y : `plain template`;',
    `test(\`\${engine}: a title\`, () => t.test('one inside', () => /x/.test('no title here')));`,
    "it.skip('a skipped title', () => {});",
    '/* block */',
    'const #hidden = c;',
  ].join('\n');
  const { prose, identifiers } = readSource(text);
  const shown = prose.map(({ kind, start, text: words }) => {
    assert.equal(text.slice(start, start + words.length).length, words.length);
    return [kind, words.replaceAll(/▪+/g, '▪').replaceAll(/\s+/g, ' ').trim()];
  });
  assert.deepEqual(shown, [
    ['comment', 'line one line two'],
    ['comment', 'block'],
    ['string', 'first string'],
    ['string', 'before ▪ after it'],
    ['string', 'inner ▪ words'],
    ['string', 'plain template'],
    ['title', '▪: a title'],
    ['title', 'one inside'],
    ['string', 'no title here'],
    ['title', 'a skipped title'],
  ]);
  assert.deepEqual(
    ['engine', '#hidden', 'before'].map((name) => identifiers.has(name)),
    [true, true, false],
  );
});

test('an unreadable source is an error that names the line', () => {
  assert.throws(() => readSource('\nconst a = (b) / # /;'), new UnreadableSource('\n#', 1));
});

test('words are rejected in comments, strings and titles, with the line where they are', () => {
  const text = [
    '/**',
    ' * The worker waits so',
    ' * many seconds. It stands still.',
    ' */',
    "const message = 'closed behind the answer';",
    `const other = \`starts \${how} anew\`;`,
    "test('a client is told of it', () => {});",
  ].join('\n');
  assert.deepEqual(found(text), ['2 so many', '3 stands', '5 behind', '6 anew', '7 is told']);
});

test('code, paths, SQL and single names are not checked as prose', () => {
  const text = [
    '// The column `behind` of src/house/stand.ts and https://example.test/mend.',
    'const a = `select id as behind from told where whoever = $1`;',
    'const b = `and told = 1 order by anew`;',
    "const c = 'behind';",
    'const d = `<p class="house rival">x y</p>`;',
  ].join('\n');
  assert.deepEqual(found(text), []);
  const markdown = ['```ts', '// behind', '```', '', 'See `told` and [the page](docs/house.md).'].join('\n');
  assert.deepEqual(found(markdown, 'docs/page.md'), []);
});

test('allowed uses of a word are not reported', () => {
  const text = [
    '// The server runs behind a reverse proxy, or behind the load balancer.',
    '// `iat` stands for "issued at". A standby lags behind.',
    '// It prints so much text that the terminal is full.',
    '// Post-quantum keys; the house number; two colours that are told apart.',
  ].join('\n');
  assert.deepEqual(found(text), []);
});

test('a sentence that does not start with its subject is reported, unless it is a question', () => {
  const text = [
    '// What comes later is 503. Is this right? What is it?',
    '// The client waits. Who has none is let in.',
    '',
    '/** That a key is missing is an error. That is all. */',
    '/**',
    ' * Of a large file it reads the start.',
    ' *',
    ' * - Behind it the file ends',
    ' */',
    "const a = 'whoever has no key waits';",
    "const b = 'what kind';",
  ].join('\n');
  assert.deepEqual(found(text), [
    '1 What comes later is …',
    '2 Who has none is …',
    '4 That a key is …',
    '6 Of a large file …',
    '8 Behind it the file …',
    '10 whoever has no key …',
  ]);
});

test('a test title must start with its subject, after the name of an engine or a mark', () => {
  const text = [
    `test(\`\${engine.name}: what is deleted leaves nothing\`, () => {});`,
    "test('[X1] who asks twice gets one answer', () => {});",
    "test('who asks?', () => {});",
  ].join('\n');
  assert.deepEqual(
    found(text).map((each) => each.slice(0, 1)),
    ['1', '2'],
  );
});

test('Markdown cells and paragraphs are checked as sentences, and headings are not', () => {
  const text = ['# What it does', '', '| word | means |', '|---|---|', '| a | Who has it |', '', 'A claim, as `name`.'];
  assert.deepEqual(found(text.join('\n'), 'docs/page.md'), ['5 Who has it | …', '7 , as …']);
});

test('comments and quoted texts of a YAML file are checked, and its queries are not', () => {
  const text = [
    '# The house is',
    '# told of it.',
    'expr: sum(houses) > 0',
    "labels: 'house'",
    "summary: 'Who asks waits behind the queue'",
  ].join('\n');
  assert.deepEqual(found(text, 'docs/alerts.yaml'), ['1 house', '1 is told', '5 Who asks waits behind …', '5 behind']);
});

test('the values of a JSON file are checked, labels without the rules of sentences, and names are not', () => {
  const text = [
    '{',
    '  "told anew": "{sender} wrote",',
    '  "house": "anew",',
    '  "paragraphs": ["It is done anew.", "A \\"house\\" stands here."],',
    '  "text": "Who asks waits.",',
    '  "title": "Who asked anew"',
    '}',
  ].join('\n');
  assert.deepEqual(found(text, 'src/locales/en.json'), [
    '4 anew',
    '4 house',
    '4 stands',
    '5 Who asks waits. …',
    '6 anew',
  ]);
});

test('names with a rejected word are reported, and names with similar letters are not', () => {
  assert.deepEqual(found('const withHouse = tellAll(helpdesk, warehouse, dashboard);'), ['1 withHouse', '1 tellAll']);
  assert.deepEqual(found('letGo(threadWakes, navigateTo, hasRoom);'), ['1 letGo', '1 threadWakes']);
  assert.deepEqual(found('x();', 'test/contact-house.ts'), ['1 contact-house (file name)']);
});

test('comments, names and titles are checked in files whose strings are exempt', () => {
  const text = "// anew\nconst house = 'done anew';\ntest('done anew', () => {});";
  const findings = findInFile('src/cli/x.ts', text, { strings: false });
  assert.deepEqual(
    findings.map(({ line }) => line),
    [1, 2, 3],
  );
});

test('a commit subject needs an area and an imperative, and must be short and without rejected words', () => {
  const right = [
    'identity: hide guess counts from ledger entry lengths',
    'docs, cli: need fewer words',
    'store/sqlite: process the queue in one unit',
    'app: rename house to app',
    'check: reject `behind`',
  ];
  const wrong = [
    'Identity: add a check',
    'add a check',
    'identity: adds a check',
    'identity: added a check',
    'identity: adding a check',
    'identity: Add a check',
    'identity: an unknown id costs what a known one does',
    'identity: what is hidden',
    'identity: add a check.',
    'identity: start it anew',
    `identity: add ${'x'.repeat(60)}`,
  ];
  for (const subject of right) assert.deepEqual(findInSubject(subject), [], subject);
  for (const subject of wrong) assert.equal(findInSubject(subject).length, 1, subject);
});

function run(folder: string, ...words: string[]): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words], { cwd: folder, encoding: 'utf8' });
  return { status, text: `${stdout}${stderr}`.trim() };
}

function put(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

test('a file without findings is removed from the "still to do" list', () => {
  const folder = makeTestFolder('prose-');
  put(folder, 'src/good.ts', '// Fine.\n');
  put(folder, 'src/bad.ts', '\n// Again and anew.\n');
  put(folder, 'docs/page.md', 'Anew.\n');
  put(folder, 'scripts/prose-exemptions.txt', '# Later.\ndocs/** # all\n');
  const finding = 'src/bad.ts:2: "anew" → "again"';
  assert.deepEqual(run(folder), { status: 1, text: `${finding}\n\ncheck-prose: 1 findings` });
  assert.match(
    run(folder, '--write-exemptions').text,
    /added src\/bad\.ts\n.* 1 files still to do, 1 added, 0 removed$/,
  );
  assert.equal(run(folder).status, 0);
  assert.equal(run(folder, 'src/bad.ts').status, 1);
  assert.match(run(folder, '--summary').text, /^1 src\/bad\.ts\ncheck-prose: 1 findings in 1 files$/);
  put(folder, 'src/bad.ts', '// Again.\n');
  const stale = run(folder);
  assert.match(stale.text, /^scripts\/prose-exemptions\.txt: src\/bad\.ts has no finding any more/);
  assert.equal(stale.status, 1);
  assert.match(run(folder, '--write-exemptions').text, /0 added, 1 removed$/);
  assert.equal(run(folder).status, 0);
  assert.match(
    readFileSync(join(folder, 'scripts/prose-exemptions.txt'), 'utf8'),
    /^# Later\.\ndocs\/\*\* # all\n# Still/,
  );
});

test('commits since a base are checked without merges, and a clone without the base reports that it checked none', () => {
  const folder = makeTestFolder('prose-');
  const git = (...words: string[]) => {
    const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.test', '-c', 'core.hooksPath='];
    const { status, stdout, stderr } = spawnSync('git', [...who, ...words], { cwd: folder, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return stdout.trim();
  };
  assert.match(run(folder, '--commits').text, /are not checked: this copy has no commit/);
  git('init', '--quiet', '--initial-branch=main');
  const commit = (subject: string) => git('commit', '--quiet', '--allow-empty', `--message=${subject}`);
  commit('the first, which nobody checks');
  const base = git('rev-parse', 'HEAD');
  assert.match(run(folder, '--commits', base).text, /the subjects of 0 commits: nothing found$/);
  git('checkout', '--quiet', '-b', 'other');
  commit('docs: add a page');
  git('checkout', '--quiet', 'main');
  commit('docs: add another page');
  git('merge', '--quiet', '--no-ff', '--message=Merge branch other', 'other');
  assert.match(run(folder, '--commits', base).text, /the subjects of 2 commits: nothing found$/);
  commit('docs: what a page says');
  const checked = run(folder, '--commits', base);
  assert.match(checked.text, /^commit \w+: "what" → an imperative first/);
  assert.equal(checked.status, 1);
  const shallow = run(folder, '--commits');
  assert.equal(shallow.status, 0);
  assert.match(shallow.text, /are not checked/);
});

test('the commit hook checks the first line of a message, and accepts merges and fixups', () => {
  const folder = makeTestFolder('prose-');
  const check = (message: string) => {
    put(folder, 'message', message);
    return run(folder, '--commit-message', 'message');
  };
  assert.deepEqual(check('docs: add a page\n\nWhat stands here is free.\n'), { status: 0, text: '' });
  assert.deepEqual(check('docs: adds a page\n'), {
    status: 1,
    text: 'commit subject: "adds" → an imperative first, such as "add", "fix" or "reject"',
  });
  for (const subject of ['Merge branch other', 'fixup! docs: adds', '']) assert.equal(check(`${subject}\n`).status, 0);
});
