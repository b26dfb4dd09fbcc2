import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasMarkup, parseMarkdown, type Values } from './markdown.ts';
import { messageHtml } from './message-html.ts';

function bodyOf(source: string, values: Values = {}): string {
  const page = messageHtml({ title: 'x', language: 'en', blocks: parseMarkdown(source, values), footer: [] });
  return page.slice(page.indexOf('margin:1em">\n') + 13, page.indexOf('\n<hr>')).replaceAll(' dir="auto"', '');
}

test('a line that begins with a number goes on with its paragraph; only 1. may begin a list there', () => {
  const cases = [
    [
      'Ihr Termin ist am\n15. Mai 2027 um 10 Uhr, Zimmer 3.',
      '<p>Ihr Termin ist am<br>\n15. Mai 2027 um 10 Uhr, Zimmer 3.</p>',
    ],
    ['Bring:\n1. this\n2. that', '<p>Bring:</p>\n<ol><li>this</li><li>that</li></ol>'],
    ['Bring:\n- this', '<p>Bring:</p>\n<ul><li>this</li></ul>'],
  ];
  for (const [source = '', html] of cases) assert.equal(bodyOf(source), html);
});

test('an item of a list has the number that was written', () => {
  const cases = [
    ['15. Mai 2027 um 10 Uhr', '<ol start="15"><li>Mai 2027 um 10 Uhr</li></ol>'],
    ['7. seven\n8. eight', '<ol start="7"><li>seven</li><li>eight</li></ol>'],
    ['0. none\n1. one', '<ol start="0"><li>none</li><li>one</li></ol>'],
    ['1. a\n3. c\n4. d\n1. e', '<ol><li>a</li><li value="3">c</li><li>d</li><li value="1">e</li></ol>'],
    ['1. Alpha\n\n2. Beta\n\n\n3. Gamma', '<ol><li>Alpha</li><li>Beta</li><li>Gamma</li></ol>'],
    ['1. a\n2. b\n\n1. c', '<ol><li>a</li><li>b</li></ol>\n<ol><li>c</li></ol>'],
    ['1. a\nmore of it\n2. b', '<ol><li>a</li></ol>\n<p>more of it</p>\n<ol start="2"><li>b</li></ol>'],
    ['1. a\n\n- b\n- c', '<ol><li>a</li></ol>\n<ul><li>b</li><li>c</li></ul>'],
    ['1. a\n\nText\n2. b', '<ol><li>a</li></ol>\n<p>Text<br>\n2. b</p>'],
  ];
  for (const [source = '', html] of cases) assert.equal(bodyOf(source), html, source);
});

test('a number that a list would show in another way stays text', () => {
  assert.equal(bodyOf('01. Januar 2027'), '<p>01. Januar 2027</p>');
  assert.equal(bodyOf('2) second\n3) third'), '<p>2) second<br>\n3) third</p>');
  assert.equal(bodyOf('1999. A year'), '<p>1999. A year</p>');
  assert.ok(!hasMarkup(parseMarkdown('2) second')));
});

const link = (href: string, text = href) => {
  const shown = text === href ? '' : ` (${new URL(href).host})`;
  return `<a href="${href}" rel="noopener noreferrer">${text}</a>${shown}`;
};

test('a link leads where its text says, placeholders and parentheses included', () => {
  const values = { id: 'A-17', odd: `a b/ü'(x)&?#` };
  const encoded = 'a%20b%2F%C3%BC%27%28x%29%26%3F%23';
  const cases = [
    ['Pay at https://pay.example.org/bill/((id)) today', `Pay at ${link('https://pay.example.org/bill/A-17')} today`],
    ['(https://e.org/((id))/x?y=((odd))).', `(${link(`https://e.org/A-17/x?y=${encoded}`)}).`],
    ['https://e.org/((id))((odd)), and', `${link(`https://e.org/A-17${encoded}`)}, and`],
    ['[x](https://e.org/a_(b))', link('https://e.org/a_(b)', 'x')],
    ['[x](https://e.org/a_(b_(c))_((id)))!', `${link('https://e.org/a_(b_(c))_A-17', 'x')}!`],
    ['see https://e.org/a_(b).', `see ${link('https://e.org/a_(b)')}.`],
    ['see https://e.org/a(b now', `see ${link('https://e.org/a')}(b now`],
    ['[to ((id))](https://e.org/#((odd)))', link(`https://e.org/#${encoded}`, 'to A-17')],
    ['[x](https://e.org "t")', `[x](${link('https://e.org/')} &quot;t&quot;)`],
  ];
  for (const [source = '', html] of cases) assert.equal(bodyOf(source, values), `<p>${html}</p>`, source);
});

test('a URL that is longer than any link stays text, whole', () => {
  const long = `https://e.org/${'x'.repeat(3_000)}`;
  assert.equal(bodyOf(long), `<p>${long}</p>`);
});
