import { maskCharacter, readMarkdown } from './prose-text.ts';

/** A sentence of a page, with its line (from 1) and its number of words. A code span counts as one word. */
export interface Sentence {
  readonly line: number;
  readonly words: number;
  readonly text: string;
}

/** The end of a sentence, a list item, a table cell or a paragraph. */
const boundary = /[.!?]["')\]*_]*\s+|\n[ \t]*\n\s*|\n[ \t]*(?:[-*•]|\d+\.)\s+|\||\n(?=[ \t]*\|)/g;
/** A cell, heading or list item with fewer words is a label, not a sentence. */
const shortest = 4;

/** The sentences of a Markdown page, without headings, code blocks and labels. */
export function sentencesOfPage(markdown: string): readonly Sentence[] {
  return readMarkdown(markdown.replaceAll('<br>', ' |  '))
    .filter(({ kind }) => kind === 'document')
    .flatMap(({ text }) => splitSentences(text))
    .filter(({ words }) => words >= shortest);
}

function splitSentences(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  const add = (end: number) => {
    const part = text.slice(start, end);
    const at = start + part.length - part.trimStart().length;
    sentences.push({ line: text.slice(0, at).split('\n').length, words: countWords(part), text: part.trim() });
    start = end;
  };
  for (const { index, 0: found } of text.matchAll(boundary)) add(index + found.length);
  add(text.length);
  return sentences;
}

/** The words of a text: letters or digits between spaces, or masked code. */
export function countWords(text: string): number {
  const masked = new RegExp(`${maskCharacter}+`, 'g');
  return text
    .replaceAll(masked, 'code')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** The words of a Markdown page with its headings, without code blocks. */
export function countPageWords(markdown: string): number {
  return readMarkdown(markdown).reduce((sum, { text }) => sum + countWords(text), 0);
}
