/**
 * Prints how long the documentation is: the words of each folder, the average sentence, and each sentence over 40 words.
 *
 *     node scripts/prose-figures.ts            (npm run docs:figures)
 *     node scripts/prose-figures.ts FILE…      only these pages
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { countPageWords, type Sentence, sentencesOfPage } from './prose-sentences.ts';

const longest = 40;
/** Goals: words outside docs/reference, and words of an average sentence. */
const goals = { words: 35_000, sentence: 20 };

interface Page {
  readonly path: string;
  readonly words: number;
  readonly sentences: readonly Sentence[];
}

function readPage(path: string): Page {
  const text = readFileSync(path, 'utf8');
  return { path, words: countPageWords(text), sentences: sentencesOfPage(text) };
}

function figuresOf(pages: readonly Page[]) {
  const words = pages.reduce((sum, page) => sum + page.words, 0);
  const sentences = pages.flatMap((page) => page.sentences);
  const inSentences = sentences.reduce((sum, sentence) => sum + sentence.words, 0);
  return { pages: pages.length, words, average: inSentences / Math.max(1, sentences.length) };
}

function printRow(name: string, pages: readonly Page[]): void {
  const { pages: count, words, average } = figuresOf(pages);
  const columns = [name.padEnd(28), `${count} pages`.padStart(9), `${words.toLocaleString('en')} words`.padStart(13)];
  console.log(`${columns.join('')}  ${average.toFixed(1)} words per sentence`);
}

const named = process.argv.slice(2);
const paths = named.length > 0 ? named : globSync(['*.md', 'client/*.md', 'docs/**/*.md']).sort();
const pages = paths.map(readPage);
for (const [folder, members] of Map.groupBy(pages, ({ path }) => dirname(path))) printRow(folder, members);
const outside = pages.filter(({ path }) => path.startsWith('docs/') && !path.startsWith('docs/reference/'));
printRow('docs, without reference', outside);
console.log(`goals: ${goals.words.toLocaleString('en')} words outside reference, ${goals.sentence} words per sentence`);
const long = pages.flatMap(({ path, sentences }) =>
  sentences.filter(({ words }) => words > longest).map((sentence) => ({ path, ...sentence })),
);
console.log(`sentences over ${longest} words: ${long.length}`);
for (const { path, line, words, text } of long) {
  console.log(`  ${path}:${line}: ${words} words: ${text.replaceAll(/\s+/g, ' ').slice(0, 90)}…`);
}
