import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countPageWords, sentencesOfPage } from '../../scripts/prose-sentences.ts';

const page = `# Two words

The server answers within \`30 s\`. It retries once.

- A list item of five
| a cell with four words | short |
|---|---|

\`\`\`sh
curl http://127.0.0.1:3000/ignored words
\`\`\`
`;

test('a page is split into sentences at periods, list items and cells, and a code span counts as one word', () => {
  const found = sentencesOfPage(page).map(({ line, words }) => [line, words]);
  assert.deepEqual(found, [
    [3, 5],
    [5, 5],
    [6, 5],
  ]);
});

test('the words of a page include headings and labels, but no code block', () => {
  assert.equal(countPageWords(page), 2 + 5 + 3 + 5 + 5 + 1);
});
