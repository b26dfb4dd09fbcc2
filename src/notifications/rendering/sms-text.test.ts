import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { localeFor } from '../../locales/locale.ts';
import { formatMessage } from '../../locales/message-format.ts';
import type { LegalNotice } from '../notification/legal-notice.ts';
import { countSegments, renderSmsText } from './sms-text.ts';

test('a letter with a combining mark is sent and counted as one character', () => {
  const content = { message: 'Gr\u0075\u0308\u00dfe' };
  const sent = renderSmsText({ sender: 'Finanzamt Mu\u0308nchen', subject: undefined, content, language: 'de' });
  assert.deepEqual(sent, { text: 'Finanzamt München: Grüße', segments: 1 });
  const subject = 'Gebu\u0308hr';
  const long = renderSmsText({ sender: 'Amt', subject, content: { message: 'Wort '.repeat(1_000) }, language: 'de' });
  assert.deepEqual(long, {
    text: 'Amt: Sie haben eine neue Nachricht zu "Gebühr". Lesen Sie sie in Ihrem Postfach.',
    segments: 1,
  });
});

test('one invisible or typographic character does not double the cost of a text message', () => {
  const textOf = (message: string) =>
    renderSmsText({ sender: 'Tax', subject: undefined, content: { message }, language: undefined });
  const replaced: ReadonlyArray<readonly [string, string]> = [
    ['\u00a0\u2007\u202f\u3000', '    '],
    ['\t', ' '],
    ['\u00ad\u200b\u2060\ufeff', ''],
    ['\u2018\u2019\u201a\u201b\u2039\u203a', "''''''"],
    ['\u201c\u201d\u201e\u201f\u00ab\u00bb', '""""""'],
    ['\u2010\u2011\u2012\u2013\u2014\u2015\u2212', '-------'],
    ['\u2026', '...'],
  ];
  for (const [written, sent] of replaced) {
    const start = 'a'.repeat(140);
    assert.deepEqual(textOf(`${start}${written}b`), { text: `Tax: ${start}${sent}b`, segments: 1 });
  }
  // A text with another character outside the alphabet costs the same without the replacement.
  const kept = 'Zg\u0142o\u015b si\u0119 \u2013 \u201ejutro\u201d.';
  assert.equal(textOf(kept).text, `Tax: ${kept}`);
});

test('a bidirectional control that the subject opens is closed in the announcement', () => {
  const [rlo, pdf] = ['\u202e', '\u202c'];
  const { text } = renderSmsText({
    sender: 'Tax',
    subject: `Your ${rlo}bill`,
    content: { message: 'word '.repeat(1_000) },
    language: undefined,
  });
  assert.equal(text, `Tax: you have a new message about “Your ${rlo}bill${pdf}”. Read it in your inbox.`);
});

const through = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);
// Table 6.2.1 in its order, as Unicode code points, without the escape.
const basicAlphabet = new Set([
  0x40,
  0xa3,
  0x24,
  0xa5,
  0xe8,
  0xe9,
  0xf9,
  0xec,
  0xf2,
  0xc7,
  0x0a,
  0xd8,
  0xf8,
  0x0d,
  0xc5,
  0xe5,
  0x394,
  0x5f,
  0x3a6,
  0x393,
  0x39b,
  0x3a9,
  0x3a0,
  0x3a8,
  0x3a3,
  0x398,
  0x39e,
  0xc6,
  0xe6,
  0xdf,
  0xc9,
  ...through(0x20, 0x23),
  0xa4,
  ...through(0x25, 0x3f),
  0xa1,
  ...through(0x41, 0x5a),
  0xc4,
  0xd6,
  0xd1,
  0xdc,
  0xa7,
  0xbf,
  ...through(0x61, 0x7a),
  0xe4,
  0xf6,
  0xf1,
  0xfc,
  0xe0,
]);

test('the GSM alphabet is exactly that of 3GPP TS 23.038', () => {
  const extended = new Set([0x0c, 0x5e, 0x7b, 0x7d, 0x5c, 0x5b, 0x7e, 0x5d, 0x7c, 0x20ac]);
  assert.deepEqual([basicAlphabet.size, extended.size], [127, 10]);
  for (const code of [...through(0, 0x4ff), ...through(0x2000, 0x20ff)]) {
    const character = String.fromCodePoint(code);
    const expected = basicAlphabet.has(code) ? [1, 1] : extended.has(code) ? [1, 3] : [2, 3];
    assert.deepEqual(
      [80, 160].map((times) => countSegments(character.repeat(times))),
      expected,
      code.toString(16),
    );
  }
});

test('white space around a text message is removed', () => {
  const content = { message: '\n Text. \n' };
  assert.equal(renderSmsText({ sender: 'Tax', subject: undefined, content, language: undefined }).text, 'Tax: Text.');
});

test('an announcement in Latin script fits the GSM alphabet, except in Turkish, and takes half as many segments as UCS-2', () => {
  const folder = new URL('../../locales/', import.meta.url);
  const languages = globSync('*.json', { cwd: folder }).map((file) => file.replace('.json', ''));
  // The GSM alphabet does not have some letters of Turkish.
  const latin = languages.filter((one) => one !== 'tr' && new Intl.Locale(one).maximize().script === 'Latn');
  assert.ok(latin.length >= 10);
  for (const language of latin) {
    const content = { message: 'word '.repeat(1_000) };
    const announce = (sender: string, inbox?: string) =>
      renderSmsText({ sender, subject: 'x', content, language, inbox });
    for (const inbox of [undefined, 'https://gov.example/me']) {
      const full = announce('x'.repeat(161 - announce('x', inbox).text.length), inbox);
      assert.deepEqual([full.text.length, full.segments], [160, 1], language);
    }
  }
});

test('a full text message with a legal effect says in its language when it counts as delivered', () => {
  const content = { message: 'You may object within 14 days.' };
  const base = { rule: 'opened', confirmationCounts: false, awaitsLetter: false };
  const textOf = (language: string, legalNotice: LegalNotice) =>
    renderSmsText({ sender: 'Tax', subject: undefined, content, language, legalNotice }).text;
  assert.deepEqual(
    [
      textOf('en', base),
      textOf('de', { ...base, dueOn: '2026-12-04' }),
      textOf('en', { ...base, awaitsLetter: true }),
      textOf('nb', { ...base, effectiveOn: '2026-12-04' }),
    ],
    [
      'Tax: You may object within 14 days.\nThe message counts as delivered when you open it in your inbox.',
      'Tax: You may object within 14 days.\nDie Nachricht gilt als zugestellt, sobald Sie sie in Ihrem Postfach öffnen, oder ab dem 4. Dezember 2026, wenn Sie sie nicht öffnen.',
      'Tax: You may object within 14 days.\nThe message counts as delivered when you open it in your inbox, or three working days after a letter is sent if you do not open it.',
      'Tax: You may object within 14 days.\nMeldingen har vært regnet som levert siden 4. desember 2026.',
    ],
  );
});

test('the segments of a text message are counted as gateways charge them', () => {
  assert.deepEqual(
    ['a'.repeat(160), 'a'.repeat(161), '€'.repeat(80), '€'.repeat(81), 'Č'.repeat(70), `Č${'a'.repeat(70)}`].map(
      countSegments,
    ),
    [1, 2, 1, 2, 1, 2],
  );
  // Neither an escape pair of the GSM alphabet nor a surrogate pair is cut in two.
  assert.deepEqual(
    [
      `${'a'.repeat(152)}€${'a'.repeat(152)}`,
      `${'a'.repeat(151)}€${'a'.repeat(153)}`,
      '😀'.repeat(35),
      '😀'.repeat(66),
      '😀'.repeat(67),
      '😀'.repeat(201),
    ].map(countSegments),
    [3, 2, 1, 2, 3, 7],
  );
  const long = renderSmsText({
    sender: 'Tax Office',
    subject: 'Your tax',
    content: { message: 'word '.repeat(1_000) },
    language: undefined,
  });
  assert.deepEqual(long, {
    text: 'Tax Office: you have a new message about "Your tax". Read it in your inbox.',
    segments: 1,
  });
});

test('an announcement over six segments omits its subject', () => {
  const announced = (subject: string) =>
    renderSmsText({ sender: 'Tax Office', subject, content: { message: 'word '.repeat(1_000) }, language: undefined });
  assert.equal(announced('😀'.repeat(160)).segments, 6);
  assert.deepEqual(announced('😀'.repeat(200)), {
    text: 'Tax Office: you have a new message. Read it in your inbox.',
    segments: 1,
  });
});

test('a text message with a code always contains the code, in every language and with a long sender name', () => {
  for (const language of ['en', 'nb', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'sv', 'pl', 'uk', 'tr', 'ar']) {
    const { text } = localeFor(language).systemMessage.contactCode;
    const message = formatMessage(language, text, { code: '012345', minutes: 15 });
    const content = { message, address: '+4740000000' };
    const textFrom = (sender: string) => renderSmsText({ sender, subject: undefined, content, language });
    assert.match(textFrom('Register '.repeat(40)).text, /012345/);
    assert.ok(textFrom('Folkeregisteret').segments <= 4, language);
  }
});
