import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMarkdown } from '../text/markdown.ts';
import { renderMessageHtml } from './message-html.ts';

/** The part of the page with the message itself. */
const shown = (source: string) =>
  /sans-serif[^>]*>\n([\s\S]*)\n<hr>/.exec(
    renderMessageHtml({ title: 'x', language: undefined, blocks: parseMarkdown(source), sender: 'Tax' }),
  )?.[1];

test('each block of a message has the direction of its own text', () => {
  assert.equal(
    shown('# عنوان\n## Part\nOne\ntwo\n\n- a\n- **b**\n\n3. c\n4. d\n6. e'),
    [
      '<h1 dir="auto">عنوان</h1>',
      '<h2 dir="auto">Part</h2>',
      '<p dir="auto">One<br>\ntwo</p>',
      '<ul dir="auto"><li>a</li><li><strong>b</strong></li></ul>',
      '<ol start="3" dir="auto"><li>c</li><li>d</li><li value="6">e</li></ol>',
    ].join('\n'),
  );
  assert.equal(shown('a & b < "c"'), '<p dir="auto">a &amp; b &lt; &quot;c&quot;</p>');
  assert.equal(shown('1. a\n2. b'), '<ol dir="auto"><li>a</li><li>b</li></ol>');
});

test('the page of a message without an id has no reference', () => {
  const page = { title: 'x', language: 'de', blocks: parseMarkdown('Text.'), sender: 'Skatt' };
  const below = /<hr>[\s\S]*$/;
  assert.equal(
    below.exec(renderMessageHtml(page))?.[0],
    '<hr><p><span dir="auto">Skatt</span></p>\n</div></body></html>\n',
  );
  assert.match(
    renderMessageHtml({ ...page, references: ['Referenz: ntf_1'] }),
    /<p lang="de" dir="auto">Referenz: ntf_1<\/p>\n<\/div>/,
  );
});
