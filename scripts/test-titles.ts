/**
 * Prints the titles of all tests by folder and file. The list reads as a table of contents of what the product promises.
 * `${…}` in a title is a placeholder: the test runs once for each value.
 *
 *     npm run test:titles                         all titles
 *     npm run test:titles -- --folder src/auth    the titles in one folder and its subfolders
 *     node scripts/test-titles.ts --check         reports titles that break a rule (part of `npm run check`)
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readSource } from './prose-text.ts';

interface Title {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  /** A suite is named after the subject of its tests. */
  readonly isSuite: boolean;
}

const fewestWords = 4;
const mostWords = 25;
/** Rejected shapes of a title. Add a row when you find another one. */
const shapeRules: readonly { readonly shape: RegExp; readonly use: string }[] = [
  {
    shape: /^(?:should|works?|tests?|it|they|this|these|that|what|who|which|of|checks?|ensures?|verifies|can|does)\b/i,
    use: 'start with the subject',
  },
  { shape: /\bshould\b/, use: 'state the outcome in the present tense' },
  {
    shape:
      /\b(?:is|are|stays?) (?:right|correct|fine|ok|good)$|\b(?:works?|correctly|properly|successfully|as such|alike|says so)$|\bas (?:expected|intended|described|it should)\b/,
    use: 'name the outcome that the test compares',
  },
  { shape: /(?<![\w-])(?:we|us|ours?)(?![\w-])/, use: 'name the part, such as "the server"' },
  { shape: /\betc\b|\.\.\.|…/, use: 'name each case, or the rule for all of them' },
  { shape: /[.!?;:,]$/, use: 'no punctuation at the end' },
];

/** Functions of a test file that pass their first argument on as the title of a test, such as `check`. */
const titleWrapper = /const (\w+) = \((\w+): string\b.*=>\s*test\(`[^`]*\$\{\2\}`/g;

function titlesOf(file: string): readonly Title[] {
  const source = readFileSync(file, 'utf8');
  if (!/\b(?:test|it|describe|suite)(?:\.\w+)?\(/.test(source)) return [];
  const wrappers = [...source.matchAll(titleWrapper)].map(([, name = '']) => name);
  const isWrapped = new RegExp(`\\b(?:${wrappers.join('|') || '(?!)'})\\(\\s*.$`);
  return readSource(source).prose.flatMap(({ kind, start, text }) => {
    const before = source.slice(0, start);
    if (kind !== 'title' && !(kind === 'string' && isWrapped.test(before.slice(-100)))) return [];
    const title = source.slice(start, start + text.length).replaceAll(/\\(['"`\\])/g, '$1');
    if (wrappers.length > 0 && /^(?:\$\{[\w.]+\}(?:: )?)+$/.test(title)) return [];
    const isSuite = /\b(?:describe|suite)(?:\.\w+)?\(\s*.$/.test(before.slice(-100));
    return [{ file, line: before.split('\n').length, text: title, isSuite }];
  });
}

/** The title without the rows of requirements and the database engine. A placeholder is one word. */
function sentenceOf({ text }: Title): string {
  return text.replaceAll(/\$\{[^}]*\}/g, '▪').replace(/^(?:\[R\d+\] )*(?:▪: |postgres: |sqlite: |smtp: |sms: )*/, '');
}

function faultsOf(title: Title): readonly string[] {
  const sentence = sentenceOf(title);
  const words = sentence.split(/\s+/).length;
  const faults = shapeRules.flatMap(({ shape, use }) => {
    const [found] = shape.exec(sentence) ?? [];
    return found === undefined ? [] : [`"${found}" → ${use}`];
  });
  if (words < fewestWords && !title.isSuite) faults.push(`${words} words → name subject, condition and outcome`);
  if (words > mostWords) faults.push(`${words} words → at most ${mostWords}: split the test, or shorten the outcome`);
  return faults;
}

function check(titles: readonly Title[]): number {
  const groups = Map.groupBy(titles, ({ file, text }) => `${file} ${text}`);
  const faults = [...groups.values()].flatMap((same) => [
    ...same.slice(0, 1).flatMap((title) => faultsOf(title).map((fault) => ({ ...title, fault }))),
    ...same.slice(1).map((title) => ({ ...title, fault: 'another test of this file has this title' })),
  ]);
  for (const { file, line, text, fault } of faults) console.error(`${file}:${line}: ${fault}\n    ${text}`);
  console.log(`test-titles: ${titles.length} titles, ${faults.length} findings`);
  return faults.length === 0 ? 0 : 1;
}

function print(titles: readonly Title[]): void {
  for (const [folder, inFolder] of Map.groupBy(titles, ({ file }) => dirname(file))) {
    console.log(`\n${folder}/`);
    for (const [file, inFile] of Map.groupBy(inFolder, (title) => title.file)) {
      console.log(`  ${relative(folder, file)}`);
      for (const { text, isSuite } of inFile) console.log(`    ${isSuite ? `(${text})` : text}`);
    }
  }
}

const { values } = parseArgs({ options: { check: { type: 'boolean' }, folder: { type: 'string', default: '.' } } });
const titles = globSync('{src,test,client/src}/**/*.ts', { exclude: ['**/node_modules'] })
  .sort()
  .filter((file) => !relative(resolve(values.folder), resolve(file)).startsWith('..'))
  .flatMap(titlesOf);
if (titles.length === 0) {
  console.error(
    `test-titles: no tests in ${resolve(values.folder)}. Run the script in the root folder of the repository.`,
  );
  process.exitCode = 1;
} else if (values.check) process.exitCode = check(titles);
else print(titles);
