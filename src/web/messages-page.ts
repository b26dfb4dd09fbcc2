import type { BufferedResponse } from '../api/buffered-response.ts';
import { formatMessage } from '../locales/message-format.ts';
import type { LegalNotice } from '../notifications/notification/legal-notice.ts';
import { contactLines } from '../notifications/rendering/contact-lines.ts';
import { legalRowText, legalSentences } from '../notifications/rendering/legal-text.ts';
import { defaultSubject } from '../notifications/rendering/mail-text.ts';
import { extractMessageHtml } from '../notifications/rendering/message-html.ts';
import { dayElement, type PageLayout, renderLayout } from './citizen-layout.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import { type Html, html, trustedHtml } from './html.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** A message in `listInboxMessages`. */
type InboxItem = {
  readonly id: string;
  readonly subject: string | null;
  readonly sender: string;
  readonly language: string | null;
  readonly receivedAt: string;
  readonly opened: boolean;
  readonly legalEffect?: LegalNotice;
};

/** The response of `listInboxMessages`. */
export type InboxList = { readonly items: readonly InboxItem[]; readonly next: string | null };

/** The response of `openInboxMessage`. */
export type OpenedMessage = InboxItem & {
  readonly html: string;
  readonly attachments: readonly { readonly id: string; readonly title: string }[];
  readonly contact: { readonly phone?: string; readonly email?: string; readonly url?: string };
};

/** The citizen's messages, newest first. The list does not open any of them. */
export function messagesPage(frame: PageLayout, { items, next }: InboxList, isFirst: boolean): BufferedResponse {
  const { words } = frame;
  const content = html`
    ${items.length === 0 && isFirst ? html`<p>${words.messages.none}</p>` : ''}
    <ul class="list">${items.map((item) => messageRow(words, item))}</ul>
    ${isFirst ? '' : html`<p><a href="${citizenPaths.home}">${words.messages.newest}</a></p>`}
    ${next === null ? '' : html`<p><a href="${citizenPaths.home}?before=${encodeURIComponent(next)}">${words.messages.older}</a></p>`}`;
  return renderLayout(frame, { title: words.nav.messages, content, current: 'messages' });
}

function messageRow(words: CitizenTexts, item: InboxItem): Html {
  const fresh = item.opened ? '' : html` <span class="badge">${words.messages.new}</span>`;
  return html`<li>
      <p><a class="${item.opened ? '' : 'fresh'}" href="${citizenPaths.messages}/${item.id}">${titleOf(item)}</a>${fresh}</p>
      <p><bdi>${item.sender}</bdi>, ${dayElement(words, item.receivedAt)}</p>
      ${item.legalEffect === undefined ? '' : html`<p>${legalRowText(words.language, item.legalEffect)}</p>`}
    </li>`;
}

/** The message that the request has opened. */
export function messagePage(frame: PageLayout, message: OpenedMessage): BufferedResponse {
  const { words } = frame;
  const { attachments } = message;
  const content = html`<p><bdi>${message.sender}</bdi>, ${dayElement(words, message.receivedAt)}</p>
    ${legalNote(words, message)}
    <div lang="${message.language ?? ''}" dir="auto">${trustedHtml(extractMessageHtml(message.html))}</div>
    ${
      attachments.length === 0
        ? ''
        : html`<h2>${words.message.attachments}</h2>
          <ul class="list">${attachments.map(({ id, title }) => html`<li><a href="${citizenPaths.documents}/${id}"><bdi>${title}</bdi></a></li>`)}</ul>`
    }
    ${senderContact(words, message)}
    <p><a href="${citizenPaths.home}">${words.message.back}</a></p>`;
  return renderLayout(frame, { title: titleOf(message), content, current: 'messages' });
}

function legalNote({ language }: CitizenTexts, { legalEffect }: OpenedMessage): Html | '' {
  if (legalEffect === undefined) return '';
  return html`<p class="notice">${legalSentences(language, legalEffect).join(' ')}</p>`;
}

function senderContact({ language, message: words }: CitizenTexts, { sender, contact }: OpenedMessage): Html | '' {
  const { phone: contactPhone, email: contactEmail, url: contactUrl } = contact;
  const lines = contactLines(language, { contactPhone, contactEmail, contactUrl });
  if (lines.length === 0) return '';
  return html`<h2>${formatMessage(language, words.contact, { sender })}</h2>
    <ul class="list">${lines.map(({ text, href }) => html`<li><a href="${href}"><bdi>${text}</bdi></a></li>`)}</ul>`;
}

/** A message without a subject has a title in its own language. */
function titleOf({ subject, sender, language }: InboxItem): string {
  return subject ?? defaultSubject(language ?? undefined, sender);
}
