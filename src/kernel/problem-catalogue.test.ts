import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problems } from './problem-catalogue.ts';

const wordLimit = 25;
const countWords = (text: string) => text.split(/\s+/).length;

test(`the title, cause and fix of each problem have at most ${wordLimit} words`, () => {
  const tooLong = Object.entries(problems).flatMap(([slug, { title, cause, fix }]) =>
    Object.entries({ title, cause, fix })
      .filter(([, text]) => countWords(text) > wordLimit)
      .map(([member, text]) => `${slug}, ${member}: ${countWords(text)} words`),
  );
  assert.deepEqual(tooLong, []);
});

test('the cause and fix of each problem are sentences, and the title is not', () => {
  for (const [slug, { title, cause, fix }] of Object.entries(problems)) {
    assert.match(title, /^[A-Z].*[^.]$/, slug);
    assert.match(cause, /^[A-Z].*\.$/, slug);
    assert.match(fix, /^[A-Z].*\.$/, slug);
  }
});
