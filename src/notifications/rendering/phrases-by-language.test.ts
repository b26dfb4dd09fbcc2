import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { languagesIn } from '../../../test/support/locale-languages.ts';
import { createIdGenerator } from '../../kernel/id.ts';
import { mailFor } from '../channels/mail.ts';
import { createInboxLink } from '../inbox/inbox-link.ts';
import { formatDay, phrasesFor, phrasesForHeader } from './phrases-by-language.ts';
import { renderSmsText } from './sms-text.ts';

const at = Date.UTC(2026, 0, 15, 9);
const mint = createIdGenerator({ now: () => at }, (bytes) => new Uint8Array(bytes));

/** By each first part of a tag that has words of its own. */
const others = ['no', 'nb', 'nn', 'de', 'fr', 'es', 'pt', 'it', 'nl'];

test('every language that has a file is served, and tried here', async () => {
  const files = await languagesIn(join(import.meta.dirname, '..', 'languages'));
  assert.deepEqual(files, [...new Set(['en', ...others].map((tag) => phrasesFor(tag).language))].sort());
});

test('the words that the server adds are in the language of the message, and English where it is not known', () => {
  const mail = (language: string | undefined) => {
    const text = 'Text.';
    const made = mailFor(
      {
        ...{ notification: mint('notification'), delivery: mint('delivery'), attempt: 1, address: 'a@example.org' },
        ...{ sender: 'Skatt', subject: undefined, content: { message: text }, reminder: true },
        ...{ category: 'information', language, at },
      },
      { address: 'no-reply@example.org', messageIdHost: 'example.org', confirmLink: () => 'https://x.example/r' },
    );
    return [made?.subject, made?.text.split('\n')[2]];
  };
  assert.deepEqual(mail('nb-NO'), ['Påminnelse: Melding fra Skatt', 'Bekreft at du har mottatt denne meldingen:']);
  assert.deepEqual(mail('de'), [
    'Erinnerung: Nachricht von Skatt',
    'Bestätigen Sie, dass Sie diese Nachricht erhalten haben:',
  ]);
  for (const language of [undefined, 'xx', 'constructor', 'english']) {
    assert.deepEqual(mail(language), ['Reminder: Message from Skatt', 'Confirm that you have received this message:']);
  }
  const long = {
    sender: 'Finanzamt',
    subject: 'Bescheid',
    content: { message: 'Wort '.repeat(1_000) },
    language: 'de-AT',
  };
  assert.equal(renderSmsText(long).text, 'Finanzamt: Eine Nachricht für Sie "Bescheid" liegt in Ihrem Postfach.');
});

test('the language of a page is the first known one that the browser names', () => {
  const cases = [undefined, '', '*', 'xx,de;q=0.5', 'pt-BR, en', 'no', '<script>', 'toString, fr'];
  const wished = cases.map((header) => phrasesForHeader(header).language);
  assert.deepEqual(wished, ['en', 'en', 'en', 'de', 'pt', 'nb', 'en', 'fr']);
  for (const language of others) {
    const [said, english] = [phrasesFor(language), phrasesFor('en')];
    for (const name of ['page', 'confirmed', 'unknownLink', 'notNow'] as const) {
      const wordsOf = (texts: object) =>
        Object.values(texts).map((text): string => (typeof text === 'function' ? text('Skatt') : text));
      assert.deepEqual(
        wordsOf(said[name]).filter((words) => wordsOf(english[name]).includes(words)),
        [],
        `${language} ${name}`,
      );
    }
    assert.notEqual(said.failedVerifications.subject, english.failedVerifications.subject);
    assert.equal(said.failedVerifications.paragraphs.length, english.failedVerifications.paragraphs.length);
    assert.deepEqual(
      said.failedVerifications.paragraphs.filter((one) => english.failedVerifications.paragraphs.includes(one)),
      [],
      language,
    );
    const own = [said, english].map(({ code, addressChanged: { email, sms, doubt }, citizenLock }) => [
      ...[code.subject, code.text('012345', 15), email.subject, email.text, sms.subject, sms.text, doubt],
      ...[citizenLock.set.subject, citizenLock.set.text, citizenLock.lifted.subject, citizenLock.lifted.text],
      ...[citizenLock.byStaff('x'), citizenLock.doubt],
    ]);
    assert.equal(new Set(own.flat()).size, 26, language);
    assert.match(said.citizenLock.byStaff('because'), /because$/);
    assert.match(said.code.text('012345', 17), /012345[\s\S]*17/);
    assert.notEqual(said.attached, english.attached);
    assert.notEqual(said.reference('x'), english.reference('x'));
  }
});

test('what the server adds to a mail says what language it is in, where the message is in one without words of ours', () => {
  const html = (language: string) => {
    const message = '**نص**';
    const made = mailFor(
      {
        ...{ notification: mint('notification'), delivery: mint('delivery'), attempt: 1, address: 'a@example.org' },
        ...{ sender: 'Skatt', subject: 'x', content: { message }, reminder: false },
        ...{ category: 'information', language, at },
      },
      { address: 'no-reply@example.org', messageIdHost: 'example.org', confirmLink: () => 'https://x.example/r' },
    );
    return made?.html ?? '';
  };
  assert.match(
    html('qaa'),
    /<html lang="qaa"[\s\S]*<p lang="en" dir="auto"><a href="https:\/\/x\.example\/r" [^>]*>Confirm/,
  );
  assert.match(html('nn-NO'), /<html lang="nn-NO"[\s\S]*<p lang="nb" dir="auto"><a [^>]*>Bekreft/);
  // It shows where it leads, as the links of senders do; and the id says what it is.
  assert.match(html('nb'), /mottatt denne meldingen<\/a> \(x\.example\)<\/p>\n<hr><p dir="auto">Skatt<\/p>\n/);
  assert.match(html('nb'), /<p lang="nb" dir="auto">Referanse: ntf_\w{26}<\/p>/);
  // A mailbox in a browser keeps what stands within the body alone.
  assert.match(html('ar').split(/<body[^>]*>\n/)[1] ?? '', /^<div lang="ar" dir="auto" style="font:[^"]*">/);
});

test('a mail leads to the message in the inbox where that has an address, in the language of the message', () => {
  const notification = mint('notification');
  for (const language of ['en', ...others]) {
    const made = mailFor(
      {
        ...{ notification, delivery: mint('delivery'), attempt: 1, address: 'a@example.org' },
        ...{ sender: 'Skatt', subject: 'x', content: { message: '**b**' }, reminder: false },
        ...{ category: 'information', language, at },
      },
      {
        address: 'no-reply@example.org',
        messageIdHost: 'example.org',
        inboxLink: createInboxLink('https://gov.example/me/messages/{id}?a=1&b=2'),
      },
    );
    const { inbox } = phrasesFor(language);
    const url = `https://gov.example/me/messages/${notification}?a=1&b=2`;
    assert.ok(made?.text.includes(`\n\n${inbox}:\n${url}\n\n-- \nSkatt`), language);
    assert.ok(
      made?.html?.includes(`href="${url.replace('&', '&amp;')}" rel="noopener noreferrer">${inbox}</a> (gov.example)`),
    );
    assert.ok(language === 'en' || inbox !== phrasesFor('en').inbox);
  }
});

test('the page of a mail fits a phone and says of documents that they lie in the inbox, in its language', () => {
  const attachments = [{ id: mint('document'), title: 'Bescheid <2026>\nTeil 1' }];
  const made = (message: string) =>
    mailFor(
      {
        ...{ notification: mint('notification'), delivery: mint('delivery'), attempt: 1, address: 'a@example.org' },
        ...{ sender: 'Skatt', subject: 'x', content: { message, attachments }, reminder: false },
        ...{ category: 'information', language: 'de', at },
      },
      { address: 'no-reply@example.org', messageIdHost: 'example.org' },
    );
  const title = 'Dokumente zu dieser Nachricht, in Ihrem Postfach:';
  assert.ok(made('Text.')?.text.startsWith(`Text.\n\n${title}\n- Bescheid <2026> Teil 1\n\n-- \nSkatt\n`));
  const html = `<p lang="de" dir="auto">${title}</p>\n<ul><li dir="auto">Bescheid &lt;2026&gt; Teil 1</li></ul>\n<hr>`;
  const page = made('**Text.**')?.html ?? '';
  assert.ok(page.includes(html));
  // A phone shows it at its own width, a long link wraps, and in the dark it is dark.
  for (const needed of ['content="width=device-width"', 'content="light dark"', 'overflow-wrap:anywhere']) {
    assert.ok(page.includes(needed), needed);
  }
});

test('a day is that of UTC to its last millisecond, or of the zone that is named, in words where there are some, and else in figures', () => {
  const last = Date.UTC(2028, 1, 29, 23, 59, 59, 999);
  const days = ['en-US', 'de', 'nn', 'fr', 'xx', undefined].map((language) => [
    formatDay(language, last),
    formatDay(language, last + 1),
  ]);
  assert.deepEqual(days, [
    ['29 February 2028', '1 March 2028'],
    ['29. Februar 2028', '1. März 2028'],
    ['29. februar 2028', '1. mars 2028'],
    ['29 février 2028', '1 mars 2028'],
    ['2028-02-29', '2028-03-01'],
    ['2028-02-29', '2028-03-01'],
  ]);
  const elsewhere = ['de', 'xx'].map((language) => formatDay(language, last, 'Asia/Tokyo'));
  assert.deepEqual([...elsewhere, formatDay('de', last)], ['1. März 2028', '2028-03-01', '29. Februar 2028']);
});
