import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { composeMail } from './compose-mail.ts';
import type { Mail } from './mail.ts';

const mail: Mail = {
  from: { name: 'Tax Office', address: 'no-reply@tax.example' },
  to: 'ada@example.org',
  subject: 'Your assessment',
  messageId: '<a.1@tax.example>',
  date: new Date(Date.UTC(2026, 0, 5, 9, 7, 3)),
  text: 'Hello.\nLine two.\n',
  headers: { 'Auto-Submitted': 'auto-generated' },
};

test('a plain mail has one 7bit text part and the usual headers', () => {
  assert.equal(
    composeMail(mail).toString('latin1'),
    [
      'From: "Tax Office" <no-reply@tax.example>',
      'To: ada@example.org',
      'Subject: Your assessment',
      'Date: Mon, 05 Jan 2026 09:07:03 +0000',
      'Message-ID: <a.1@tax.example>',
      'Auto-Submitted: auto-generated',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 7bit',
      '',
      'Hello.',
      'Line two.',
      '',
    ].join('\r\n'),
  );
});

const words = [
  'Żółć',
  'Ελλάδα',
  'العربية',
  '日本語',
  '👩‍👩‍👧',
  'a',
  'quoted "word"',
  'back\\slash',
  '=?UTF-8?Q?x?=',
  'x'.repeat(70),
  '<b>',
  ',',
  ';',
];
const line = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 }).map((parts) => parts.join(' '));
const odd = fc.constantFrom('.', 'From x', `${'ż'.repeat(12)} From x ${'a'.repeat(60)} From y`);
const text = fc.array(fc.oneof(line, odd, fc.string({ unit: 'grapheme' })), { maxLength: 8 });

test('another mail parser reads the same sender, subject and text from a mail, in every script', async () => {
  await fc.assert(
    fc.asyncProperty(line, line, text, async (name, subject, lines) => {
      const body = lines.join('\n').replaceAll(/[\p{Cc}\u2028\u2029]/gu, (found) => (found === '\n' ? '\n' : ' '));
      const raw = composeMail({ ...mail, from: { ...mail.from, name }, subject, text: `${body}\nend` });
      const read = await PostalMime.parse(raw);
      assert.deepEqual(
        [read.from, read.subject, read.to, read.text?.replaceAll('\r\n', '\n').trimEnd()],
        [{ name, address: mail.from.address }, subject, [{ name: '', address: mail.to }], `${body}\nend`],
      );
    }),
    { numRuns: 300 },
  );
});

test('a mail has only ASCII, no line above the limit of MIME, and no line that begins with From', async () => {
  await fc.assert(
    fc.property(line, line, text, fc.constantFrom('', 'y'.repeat(2_000)), (name, subject, lines, end) => {
      const raw = composeMail({
        ...mail,
        from: { ...mail.from, name },
        subject,
        text: lines.join('\n') + end,
      });
      assert.ok(raw.every((byte) => byte < 0x80 && byte !== 0));
      const text = raw.toString('latin1');
      const [head, body] = [text.slice(0, text.indexOf('\r\n\r\n')), text.slice(text.indexOf('\r\n\r\n') + 4)];
      const longest = head.includes('quoted-printable') ? 76 : 998;
      for (const one of body.split('\r\n')) assert.ok(one.length <= longest && !/[\r\n]|^From /.test(one), one);
      for (const one of head.split('\r\n')) assert.ok(one.length <= 998 && !/[\r\n]/.test(one), one);
    }),
    { numRuns: 300 },
  );
});
