import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdGenerator } from '../../kernel/id.ts';
import { localeFor } from '../../locales/locale.ts';
import { mailFor } from '../channels/mail.ts';
import { createInboxLink } from '../inbox/inbox-link.ts';
import type { OutgoingMessage } from '../notification/channel.ts';
import { renderSmsText } from './sms-text.ts';

const at = Date.UTC(2026, 0, 15, 9);
const createId = createIdGenerator({ now: () => at }, (bytes) => new Uint8Array(bytes));

type OutgoingParts = Partial<OutgoingMessage> & Pick<OutgoingMessage, 'content' | 'language'>;

function outgoing(parts: OutgoingParts): OutgoingMessage {
  return {
    notification: createId('notification'),
    delivery: createId('delivery'),
    attempt: 1,
    address: 'a@example.org',
    sender: 'Skatt',
    subject: 'x',
    reminder: false,
    category: 'information',
    at,
    ...parts,
  };
}

/** The language subtags with a catalogue, without English. */
const others = ['no', 'nb', 'nn', 'de', 'fr', 'es', 'pt', 'it', 'nl'];

test('the texts that the server adds are in the language of the message, and in English when it has no catalogue', () => {
  const mail = (language: string | undefined) => {
    const text = 'Text.';
    const made = mailFor(outgoing({ subject: undefined, content: { message: text }, reminder: true, language }), {
      address: 'no-reply@example.org',
      messageIdHost: 'example.org',
      confirmLink: () => 'https://x.example/r',
    });
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
  assert.equal(
    renderSmsText(long).text,
    'Finanzamt: Sie haben eine neue Nachricht zu "Bescheid". Lesen Sie sie in Ihrem Postfach.',
  );
});

test('the texts that the server adds to a mail have their own lang attribute when the message has another language', () => {
  const html = (language: string) => {
    const message = '**نص**';
    const made = mailFor(outgoing({ content: { message }, language }), {
      address: 'no-reply@example.org',
      messageIdHost: 'example.org',
      confirmLink: () => 'https://x.example/r',
    });
    return made?.html ?? '';
  };
  assert.match(
    html('qaa'),
    /<html lang="qaa"[\s\S]*<p lang="en" dir="auto"><a href="https:\/\/x\.example\/r" [^>]*>Confirm/,
  );
  assert.match(html('nn-NO'), /<html lang="nn-NO"[\s\S]*<p lang="nb" dir="auto"><a [^>]*>Bekreft/);
  // The link shows its host, as the links of senders do, and the id has a label.
  assert.match(
    html('nb'),
    /mottatt denne meldingen<\/a> \(x\.example\)<\/p>\n<hr><p><span dir="auto">Skatt<\/span><\/p>\n/,
  );
  assert.match(html('nb'), /<p lang="nb" dir="auto">Meldingsnummer: ntf_\w{26}<\/p>/);
  // Webmail keeps only the content of the body.
  assert.match(html('ar').split(/<body[^>]*>\n/)[1] ?? '', /^<div lang="ar" dir="rtl" style="font:[^"]*">/);
});

test('a mail links to the message in the inbox in the language of the message', () => {
  const notification = createId('notification');
  for (const language of ['en', ...others]) {
    const made = mailFor(outgoing({ notification, content: { message: '**b**' }, language }), {
      address: 'no-reply@example.org',
      messageIdHost: 'example.org',
      inboxLink: createInboxLink('https://gov.example/me/messages/{id}?a=1&b=2'),
    });
    const { readInInbox } = localeFor(language).message;
    const url = `https://gov.example/me/messages/${notification}?a=1&b=2`;
    assert.ok(made?.text.includes(`\n\n${readInInbox}:\n${url}\n\n-- \nSkatt`), language);
    assert.ok(
      made?.html?.includes(
        `href="${url.replace('&', '&amp;')}" rel="noopener noreferrer">${readInInbox}</a> (gov.example)`,
      ),
    );
    assert.ok(language === 'en' || readInInbox !== localeFor('en').message.readInInbox);
  }
});

test('the HTML of a mail fits a phone, and lists the documents that are in the inbox', () => {
  const attachments = [{ id: createId('document'), title: 'Bescheid <2026>\nTeil 1' }];
  const made = (message: string) =>
    mailFor(outgoing({ content: { message, attachments }, language: 'de' }), {
      address: 'no-reply@example.org',
      messageIdHost: 'example.org',
    });
  const title = 'Dokumente zu dieser Nachricht, in Ihrem Postfach:';
  assert.ok(made('Text.')?.text.startsWith(`Text.\n\n${title}\n- Bescheid <2026> Teil 1\n\n-- \nSkatt\n`));
  const html = `<p lang="de" dir="auto">${title}</p>\n<ul><li dir="auto">Bescheid &lt;2026&gt; Teil 1</li></ul>\n<hr>`;
  const page = made('**Text.**')?.html ?? '';
  assert.ok(page.includes(html));
  // It has the width of the phone, wraps long links and supports dark mode.
  for (const needed of ['content="width=device-width"', 'content="light dark"', 'overflow-wrap:anywhere']) {
    assert.ok(page.includes(needed), needed);
  }
});
