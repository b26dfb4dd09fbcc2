import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { renderMessageHtml } from '../rendering/message-html.ts';
import { renderPlainText } from '../rendering/plain-text.ts';
import { countCodePoints, fillMarkdown, hasMarkup, type PlaceholderValues, parseMarkdown } from './markdown.ts';

/** Returns the result of a call. Throws after 20 seconds, so that a regular expression that never ends fails its test. */
function runWithTimeout<T>(call: () => T): T {
  return runInNewContext('call()', { call }, { timeout: 20_000 });
}

function bodyOf(source: string, values: PlaceholderValues = {}): string {
  const page = renderMessageHtml({ title: 'x', language: 'en', blocks: parseMarkdown(source, values), sender: 'Tax' });
  const [, body = ''] = /<div[^>]*>\n([\s\S]*)\n<hr>/.exec(page) ?? [];
  return body.replaceAll(' dir="auto"', '');
}

test('a line that starts with a number continues its paragraph, unless the number is 1', () => {
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

test('an item of an ordered list keeps its written number', () => {
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

test('a number that a list would show differently stays text', () => {
  assert.equal(bodyOf('01. Januar 2027'), '<p>01. Januar 2027</p>');
  assert.equal(bodyOf('2) second\n3) third'), '<p>2) second<br>\n3) third</p>');
  assert.equal(bodyOf('1999. A year'), '<p>1999. A year</p>');
  assert.ok(!hasMarkup(parseMarkdown('2) second')));
});

test('stars next to a space stay text', () => {
  for (const text of ['5 ** 3 ** 2', '** a **', '**a **', '** a**', '** **'])
    assert.equal(bodyOf(text), `<p>${text}</p>`);
  assert.equal(bodyOf('**a b** ** **c**'), '<p><strong>a b</strong> ** <strong>c</strong></p>');
});

const link = (href: string, text = href) => {
  // A bare URL is left to right, because its last slash would be shown at its start after Arabic text.
  const [direction, shown] = text === href ? [' dir="ltr"', ''] : ['', ` (${new URL(href).host})`];
  return `<a href="${href}" rel="noopener noreferrer"${direction}>${text}</a>${shown}`;
};

test('a link leads to its written URL with filled placeholders and balanced parentheses', () => {
  const values = { id: 'A-17', odd: `a b/ü'(x)&?#` };
  const encoded = 'a%20b%2F%C3%BC%27%28x%29%26%3F%23';
  const cases = [
    ['Pay at https://pay.example.org/bill/((id)) today', `Pay at ${link('https://pay.example.org/bill/A-17')} today`],
    ['(https://e.org/((id))/x?y=((odd))).', `(${link(`https://e.org/A-17/x?y=${encoded}`)}).`],
    ['https://e.org/((id))((odd)), and', `${link(`https://e.org/A-17${encoded}`)}, and`],
    ['[x](https://e.org/a_(b))', link('https://e.org/a_(b)', 'x')],
    ['[x](https://e.org/a_(b_(c))_((id)))!', `${link('https://e.org/a_(b_(c))_A-17', 'x')}!`],
    // A bracket within the text of a link starts it again (CommonMark, section 6.3).
    ['[Art. 7 [bill ((id))](https://e.org/x)', `[Art. 7 ${link('https://e.org/x', 'bill A-17')}`],
    ['see https://e.org/a_(b).', `see ${link('https://e.org/a_(b)')}.`],
    ['see https://e.org/a(b now', `see ${link('https://e.org/a')}(b now`],
    ['[to ((id))](https://e.org/#((odd)))', link(`https://e.org/#${encoded}`, 'to A-17')],
    ['[x](https://e.org "t")', `[x](${link('https://e.org/')} &quot;t&quot;)`],
  ];
  for (const [source = '', html] of cases) assert.equal(bodyOf(source, values), `<p>${html}</p>`, source);
});

test('punctuation around a URL is not part of the URL, in the scripts of any language', () => {
  const url = 'https://e.org/x';
  for (const sentence of [
    'Siehe „URL“.',
    '« URL »',
    '‹URL›…',
    '*URL*',
    '请访问URL。谢谢',
    '（URL）を見る',
    '「URL」',
    'انظر URL،',
    'URL।',
    'URL’s page',
  ])
    assert.equal(bodyOf(sentence.replace('URL', url)), `<p>${sentence.replace('URL', link(url))}</p>`, sentence);
  const path = 'https://e.org/M%C3%BCll-%E2%80%93-%C3%9Cbersicht';
  assert.equal(bodyOf('https://e.org/Müll-–-Übersicht!'), `<p>${link(path)}!</p>`);
});

test('a URL with 150,000 punctuation marks is parsed in linear time', () => {
  for (const mark of ['.', '…', '\u{10100}']) {
    const text = `https://x/${mark.repeat(150_000)}`;
    assert.equal(
      runWithTimeout(() => bodyOf(`${text}b`)),
      `<p>${text}b</p>`,
    );
    assert.equal(
      runWithTimeout(() => bodyOf(text)),
      `<p>${link('https://x/')}${mark.repeat(150_000)}</p>`,
    );
  }
});

test('a URL over the length limit stays text', () => {
  const long = `https://e.org/${'x'.repeat(3_000)}`;
  assert.equal(bodyOf(long), `<p>${long}</p>`);
});

test('a value of several lines keeps its line breaks', () => {
  const values = { address: 'Long Road 17\r\n0150 Oslo\nNorway' };
  const lines = 'Long Road 17<br>\n0150 Oslo<br>\nNorway';
  assert.equal(bodyOf('To: ((address)).', values), `<p>To: ${lines}.</p>`);
  assert.equal(bodyOf('- **((address))**', values), `<ul><li><strong>${lines}</strong></li></ul>`);
});

test('a template as plain text has the same links as in HTML, and the rest unchanged', () => {
  const values = { id: 'A 17&x=1#y', dots: '..', name: '**Ada** [x](https://e.org/((id)))', empty: '' };
  const cases = [
    ['Pay at https://pay.example/bill?ref=((id)), now', 'Pay at https://pay.example/bill?ref=A%2017%26x%3D1%23y, now'],
    [
      'See [bill ((id))](https://pay.example/((id))/x).',
      `See [bill ${values.id}](https://pay.example/A%2017%26x%3D1%23y/x).`,
    ],
    ['https://EXAMPLE.org and https://e.org/((empty))', 'https://EXAMPLE.org and https://e.org/'],
    ['# **((name))**\r\n- ((id))\r\r\n1. b', `# **${values.name}**\r\n- ${values.id}\r\r\n1. b`],
    ['https://e.org/u/((dots))/delete', 'https://e.org/u/../delete'],
    ['Hello ((name)), ((unknown))', `Hello ${values.name}, ((unknown))`],
  ];
  for (const [template = '', text] of cases) assert.equal(fillMarkdown(template, values), text, template);
  for (const template of ['', '\n', 'a\n\nb\n', '[a](https://e.org "t")', '**a\nb**'])
    assert.equal(fillMarkdown(template, {}), template);
});

test('a bidirectional control that a value or a link text opens is closed at its end', () => {
  const [rlo, rli, pdf, pdi] = ['\u202e', '\u2067', '\u202c', '\u2069'];
  const cases = [
    [`Ada${rlo}`, `Ada${rlo}${pdf}`],
    [`a${rli}b${rlo}c`, `a${rli}b${rlo}c${pdf}${pdi}`],
    [`a${rli}b${rlo}c${pdi}d`, `a${rli}b${rlo}c${pdi}d`],
    [`${pdf}a${pdi}b${rlo}c${pdf}${pdf}`, `ab${rlo}c${pdf}`],
    [`${rli}${pdf}${pdi}`, `${rli}${pdi}`],
    ['\u200fשלום\u200e', '\u200fשלום\u200e'],
  ];
  for (const [name = '', closed] of cases) {
    assert.equal(fillMarkdown('((name)) owes 1000', { name }), `${closed} owes 1000`, JSON.stringify(name));
    assert.equal(bodyOf('((name)) owes 1000', { name }), `<p>${closed} owes 1000</p>`, JSON.stringify(name));
  }
  assert.equal(
    bodyOf(`[tax${rlo}](https://knab.example/)`),
    `<p>${link('https://knab.example/', `tax${rlo}${pdf}`)}</p>`,
  );
});

test('a bidirectional control before a link reverses neither its text nor its host', () => {
  const [rlo, pdf] = ['\u202e', '\u202c'];
  const source = `**a${rlo}** b${rlo} [bank](https://evil.example/) c${pdf}`;
  assert.equal(
    bodyOf(source),
    `<p><strong>a${rlo}${pdf}</strong> b${rlo} ${pdf}${link('https://evil.example/', 'bank')} c</p>`,
  );
  assert.equal(renderPlainText({ message: source }), `a${rlo}${pdf} b${rlo} ${pdf}bank <https://evil.example/> c`);
});

test('the groups of a phone number in a line of Arabic or Hebrew keep their order', () => {
  assert.equal(bodyOf('**الهاتف:** +962 6 123 4567.'), '<p><strong>الهاتف:</strong> \u200e+962 6 123 4567.</p>');
  assert.equal(bodyOf('טלפון +972 (0)3-123 4567'), '<p>טלפון \u200e+972 (0)3-123 4567</p>');
  for (const unchanged of ['Phone +49 30 1234567', 'الهاتف \u200e+962 6 123 4567', 'رقم 2026+1 أو +5'])
    assert.equal(bodyOf(unchanged), `<p>${unchanged}</p>`);
  const url = 'https://e.example/+962-6-123-4567';
  assert.equal(bodyOf(`الهاتف ${url}`), `<p>الهاتف ${link(url, url)}</p>`);
});

test('a character outside the basic plane, or half of a surrogate pair, counts as one character', () => {
  for (const text of ['', 'abc', 'ñ', '𝒜b😀', '👩‍👩‍👧', '\ud83d', '\ude00\ud83d', 'x\ud83d\ud83d\ude00y'])
    assert.equal(countCodePoints(text), Array.from(text).length, JSON.stringify(text));
});
