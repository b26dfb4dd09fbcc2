import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdGenerator } from '../../kernel/id.ts';
import { mailFor } from '../channels/mail.ts';
import { smsSenderOf } from '../channels/sms-sender.ts';
import type { OutgoingMessage } from '../notification/channel.ts';
import type { LegalNotice } from '../notification/legal-notice.ts';
import { legalRowText } from './legal-text.ts';

const at = Date.UTC(2026, 0, 15, 9);
const createId = createIdGenerator({ now: () => at }, (bytes) => new Uint8Array(bytes));
const sender = { address: 'no-reply@example.org', messageIdHost: 'example.org' };
const senderSettings = {
  replyTo: 'answers@tax.example',
  contactPhone: '+44 20 7946 0000',
  contactEmail: 'help@tax.example',
  contactUrl: 'https://tax.example/help?a=1&b=2',
};

function outgoing(parts: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return {
    notification: createId('notification'),
    delivery: createId('delivery'),
    attempt: 1,
    address: 'a@example.org',
    sender: 'Tax Office',
    subject: 'Your tax',
    content: { message: '**Text.**' },
    reminder: false,
    category: 'information',
    language: 'en',
    at,
    ...parts,
  };
}

test('a mail has the contact lines, the reference and the Reply-To of its sender, and its long id at the end', () => {
  const message = outgoing({ senderSettings, reference: 'TA-2025-118' });
  const mail = mailFor(message, sender);
  assert.equal(mail?.headers['Reply-To'], 'answers@tax.example');
  assert.equal(
    mail?.text,
    [
      'Text.\n\n-- \nTax Office',
      'Phone: +44 20 7946 0000',
      'Email: help@tax.example',
      'Website: https://tax.example/help?a=1&b=2',
      'Reference: TA-2025-118',
      `Message number: ${message.notification}\n`,
    ].join('\n'),
  );
  const html = mail?.html ?? '';
  assert.match(html, /<a href="tel:\+442079460000">Phone: <span dir="ltr">\+44 20 7946 0000<\/span><\/a>/);
  assert.match(html, /<a href="mailto:help@tax\.example">Email: <span dir="ltr">help@tax\.example<\/span><\/a>/);
  assert.match(html, /<a href="https:\/\/tax\.example\/help\?a=1&amp;b=2">Website: /);
  assert.match(html, /Reference: TA-2025-118<\/p>\n<p [^>]*>Message number: ntf_\w{26}<\/p>\n<\/div>/);
});

test('a mail in Arabic shows phone numbers, references and URLs from left to right', () => {
  const message = outgoing({
    senderSettings,
    reference: '205/5740-1183',
    language: 'ar',
    content: { message: '**نص**' },
  });
  const { text = '', html = '' } = mailFor(message, sender) ?? {};
  for (const line of [': \u2066+44 20 7946 0000\u2069\n', ': \u200e205/5740-1183\n'])
    assert.ok(text.includes(line), text);
  assert.match(html, /الموقع الإلكتروني: \u2066<span dir="ltr">https:\/\/tax\.example\/help/);
});

test('a mail of a sender without settings has no Reply-To, no contact lines and no reference', () => {
  const message = outgoing();
  const mail = mailFor(message, sender);
  assert.equal(mail?.headers['Reply-To'], undefined);
  assert.equal(mail?.text, `Text.\n\n-- \nTax Office\nMessage number: ${message.notification}\n`);
});

test('the sender of a text message has at most 11 characters, from its setting or from whole words of its name', () => {
  const senderOf = (name: string, smsSender?: string) => smsSenderOf({ sender: name, senderSettings: { smsSender } });
  assert.deepEqual(
    [
      senderOf('Northern Health Trust', 'NHealth'),
      senderOf('Tax Office'),
      senderOf('Northern Health Trust'),
      senderOf('National Tax Agency'),
      senderOf('Région d’Île-de-France'),
      senderOf('Finanzverwaltung'),
      senderOf('Υπουργείο Οικονομικών'),
      senderOf('Łódź Straßenamt'),
      senderOf('TAPU İdaresi Çankırı'),
      senderOf('Міністерство внутрішніх справ'),
      senderOf('وزارة الداخلية'),
      senderOf('कर विभाग'),
      senderOf('\ue000'),
    ],
    [
      ...['NHealth', 'Tax Office', 'Northern', 'National', 'Region d', 'Finanzverwa', 'Ypoyrgeio', 'Lodz', 'TAPU'],
      ...['Ministerstv', 'wzrh', 'kr vibhag', 'Message'],
    ],
  );
});

test('a row of the inbox says when its message counts as served, in the language of the page', () => {
  const base = { rule: 'opened', confirmationCounts: false, awaitsLetter: false };
  const rows = (notice: LegalNotice) => ['en', 'de', 'fr'].map((language) => legalRowText(language, notice));
  assert.deepEqual(rows(base), [
    'Counts as delivered when you open it',
    'Gilt als zugestellt, sobald Sie sie öffnen',
    'Réputé remis dès que vous l’ouvrez',
  ]);
  assert.deepEqual(rows({ ...base, dueOn: '2026-12-04' }), [
    'Counts as delivered when you open it, and from 4 December 2026 even if you do not',
    'Gilt als zugestellt, sobald Sie sie öffnen, und ab dem 4. Dezember 2026, auch wenn Sie sie nicht öffnen',
    'Réputé remis dès que vous l’ouvrez, et à partir du 4 décembre 2026 même si vous ne l’ouvrez pas',
  ]);
  assert.deepEqual(rows({ ...base, rule: 'as-letter', awaitsLetter: true }), [
    'Counts as delivered when you open it, or three working days after a letter is sent if you do not',
    'Gilt als zugestellt, sobald Sie sie öffnen, oder drei Arbeitstage nach dem Versand eines Briefes, wenn Sie sie nicht öffnen',
    'Réputé remis dès que vous l’ouvrez, ou trois jours ouvrés après l’envoi d’une lettre si vous ne l’ouvrez pas',
  ]);
  assert.deepEqual(rows({ ...base, effectiveOn: '2026-12-04' })[0], 'Has counted as delivered since 4 December 2026');
});
