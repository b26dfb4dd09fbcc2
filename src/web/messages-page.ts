import type { BufferedResponse } from '../api/buffered-response.ts';
import type { DocumentFile } from '../documents/own-document.ts';
import { messageDirection } from '../kernel/text-direction.ts';
import { formatDay } from '../locales/date-format.ts';
import { localeFor } from '../locales/locale.ts';
import { formatMessage } from '../locales/message-format.ts';
import type { LegalNotice } from '../notifications/notification/legal-notice.ts';
import type { Category } from '../notifications/notification/notification.ts';
import { contactLines } from '../notifications/rendering/contact-lines.ts';
import { legalRowText, legalSentences } from '../notifications/rendering/legal-text.ts';
import { defaultSubject } from '../notifications/rendering/mail-text.ts';
import { extractMessageHtml } from '../notifications/rendering/message-html.ts';
import { commaOf, dayElement, messagesTitle, minuteText, type PageLayout, renderLayout } from './citizen-layout.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import { fileKind } from './documents-page.ts';
import { postForm, successBanner } from './form-parts.ts';
import { type Html, html, trustedHtml } from './html.ts';
import { continueSearchForm, isNarrowed, type MessagesFilter, messagesForm, messagesLink } from './messages-filter.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** A message in `listInboxMessages`. */
export type InboxItem = {
  readonly id: string;
  readonly subject: string | null;
  readonly sender: string;
  readonly category: Category;
  readonly language: string | null;
  readonly receivedAt: string;
  readonly legalEffect?: LegalNotice;
  readonly reference: string | null;
  readonly respondBy: string | null;
  readonly unread: boolean;
  readonly archived: boolean;
};

/** The response of `listInboxMessages`. */
export type InboxList = {
  readonly items: readonly InboxItem[];
  readonly next: string | null;
  readonly unreadCount: number;
  readonly senders: readonly { readonly id: string; readonly name: string }[];
};

/** The response of `openInboxMessage`. */
export type OpenedMessage = InboxItem & {
  readonly html: string;
  readonly attachments: readonly { readonly id: string; readonly title: string }[];
  readonly contact: { readonly phone?: string; readonly email?: string; readonly url?: string };
  readonly unreadCount: number;
};

/** The action that the citizen completed before the list is shown. */
export const completedActions = ['archived', 'restored', 'unread'] as const;

/** The list that a request asks for. */
type ListView = {
  readonly filter: MessagesFilter;
  readonly isFirst: boolean;
  readonly done: (typeof completedActions)[number] | undefined;
};

/** The citizen's messages, newest first. The list does not open any of them. */
export function messagesPage(
  frame: PageLayout,
  list: InboxList,
  { filter, isFirst, done }: ListView,
): BufferedResponse {
  const { messages } = frame.words;
  const { items, next } = list;
  const link = (to: string, text: string) => html`<p><a href="${to}">${text}</a></p>`;
  const content = html`${done === undefined ? '' : successBanner(messages.done[done])}
    ${listHead(frame, list, { filter, text: '' })}
    ${isFirst && isNarrowed(filter) && next === null ? resultStatus(foundText(frame.words, items.length)) : ''}
    ${isFirst && !isNarrowed(filter) && items.length === 0 ? html`<p>${noneText(frame.words, filter)}</p>` : messageList(frame.words, items)}
    ${isFirst ? '' : link(messagesLink(filter), messages.newest)}
    ${next === null ? '' : link(messagesLink(filter, next), messages.older)}
    ${items.length === 0 ? '' : html`<p class="screen-only"><a href="${citizenPaths.download}">${messages.downloadAll}</a></p>`}`;
  return renderList(frame, list, { filter, content });
}

/** The request of a search. `searched`: the messages that earlier requests of this search have searched. */
export type SearchView = { readonly filter: MessagesFilter; readonly text: string; readonly searched: number };

/** The messages that a search found, newest first. */
export function searchPage(
  frame: PageLayout,
  list: InboxList & { readonly searched: number },
  { filter, text, searched: before }: SearchView,
): BufferedResponse {
  const { words } = frame;
  const { items, next } = list;
  const searched = before + list.searched;
  const partly = formatMessage(words.language, words.messages.partly, { count: searched });
  const content = html`${listHead(frame, list, { filter, text })}
    ${resultStatus(next === null ? foundText(words, items.length, before > 0) : partly)}
    ${messageList(words, items)}
    ${next === null ? '' : continueSearchForm(frame, { filter, text }, { next, searched })}`;
  return renderList(frame, list, { filter, content });
}

function renderList(
  frame: PageLayout,
  { unreadCount }: InboxList,
  { filter, content }: { readonly filter: MessagesFilter; readonly content: Html },
): BufferedResponse {
  const { words } = frame;
  const title = filter.where === 'archive' ? words.messages.archive : messagesTitle(words, unreadCount);
  return renderLayout(frame, { title, content, current: 'messages', unreadCount });
}

function listHead(
  frame: PageLayout,
  { senders }: InboxList,
  { filter, text }: Pick<SearchView, 'filter' | 'text'>,
): Html {
  const { inbox, archive } = frame.words.messages;
  const isPlain = text === '' && !isNarrowed(filter);
  const link = (where: MessagesFilter['where'], to: string, name: string) => {
    const current = isPlain && filter.where === where ? trustedHtml(' aria-current="page"') : '';
    return html`<a href="${to}"${current}>${name}</a>`;
  };
  return html`<p class="actions">${link('inbox', citizenPaths.home, inbox)} ${link('archive', archivePath, archive)}</p>
    ${messagesForm(frame, { filter, text, senders })}`;
}

const archivePath = messagesLink({ where: 'archive', sender: '', category: '', state: '' });

/** The result of a search or filter, with the focus, so that screen readers read it before the messages. */
function resultStatus(text: string): Html {
  return html`<p role="status" tabindex="-1" autofocus>${text}</p>`;
}

function foundText({ messages, language }: CitizenTexts, count: number, isContinued = false): string {
  if (count === 0) return isContinued ? messages.noMoreFound : messages.noneFound;
  return formatMessage(language, messages.found, { count });
}

function noneText({ messages }: CitizenTexts, filter: MessagesFilter): string {
  return filter.where === 'archive' ? messages.noneArchived : messages.none;
}

function messageList(words: CitizenTexts, items: readonly InboxItem[]): Html | '' {
  if (items.length === 0) return '';
  return html`<ul class="list">${items.map((item) => messageRow(words, item))}</ul>`;
}

function messageRow(words: CitizenTexts, item: InboxItem): Html {
  const { messages } = words;
  const fresh = item.unread ? html` <span class="tag tag-new">${messages.new}</span>` : '';
  const archived = item.archived ? html` <span class="tag">${messages.archived}</span>` : '';
  return html`<li>
      <p><a lang="${item.language ?? ''}" dir="auto" class="${item.unread ? 'fresh' : ''}" href="${citizenPaths.messages}/${item.id}">${titleOf(item)}</a>${fresh}${categoryTag(words, item)}${archived}</p>
      <p><bdi>${item.sender}</bdi>${commaOf(words)} ${dayElement(words, item.receivedAt)}</p>
      ${item.legalEffect === undefined ? '' : html`<p>${legalRowText(words.language, item.legalEffect)}</p>`}
      ${item.reference === null ? '' : html`<p>${referenceText(words, item.reference)}</p>`}
      ${respondByTag(words, item)}
    </li>`;
}

/** With the colon of the language: French has a space before it. */
function referenceText({ language }: CitizenTexts, reference: string): Html {
  const mark = '\0';
  const [before, after] = formatMessage(language, localeFor(language).message.reference, { id: mark }).split(mark);
  return html`${before}${referenceElement(reference)}${after}`;
}

/** A reference starts on a new line if it does not fit, so that it is not broken after a hyphen. */
const referenceElement = (reference: string) => html`<bdi class="reference">${reference}</bdi>`;

/** The category of a message that is more than information. */
function categoryTag({ messages }: CitizenTexts, { category }: InboxItem): Html | '' {
  if (category === 'information') return '';
  const name = category === 'urgent' ? 'tag tag-urgent' : 'tag';
  return html` <span class="${name}">${messages.categories[category]}</span>`;
}

/** The deadline that the sender named for an answer. */
export function respondByTag(words: CitizenTexts, { respondBy }: InboxItem): Html | '' {
  if (respondBy === null) return '';
  const { messages, language } = words;
  const text = formatMessage(language, messages.respondBy, { day: respondByText(words, respondBy) });
  return html`<p><span class="tag tag-due">${text}</span></p>`;
}

/** The deadline of an answer: a day, or an instant to the minute. */
function respondByText(words: CitizenTexts, respondBy: string): string {
  return /t/i.test(respondBy) ? minuteText(words, respondBy) : formatDay(words.language, Date.parse(respondBy));
}

/** The message that the request has opened. `files`: the documents of the message that the citizen can open now. */
export function messagePage(
  frame: PageLayout,
  message: OpenedMessage,
  files: ReadonlyMap<string, DocumentFile | undefined>,
): BufferedResponse {
  const { words } = frame;
  const { attachments, unreadCount } = message;
  const kindOf = (id: string) => {
    const file = files.get(id);
    return file === undefined ? '' : html` (${fileKind(words, file)})`;
  };
  const content = html`<dl class="summary">${messageDetails(words, message)}</dl>${respondByTag(words, message)}
    ${legalNote(words, message)}
    <div lang="${message.language ?? ''}" dir="${messageDirection(message.language)}">${trustedHtml(extractMessageHtml(message.html))}</div>
    ${
      attachments.length === 0
        ? ''
        : html`<h2>${words.message.attachments}</h2>
          <ul class="list">${attachments.map(({ id, title }) => html`<li><a href="${citizenPaths.documents}/${id}"><bdi lang="">${title}</bdi></a>${kindOf(id)}</li>`)}</ul>`
    }
    ${senderContact(words, message)}
    ${messageActions(frame, message)}`;
  return renderLayout(frame, {
    title: titleOf(message),
    titleLanguage: message.language ?? '',
    content,
    current: 'messages',
    unreadCount,
  });
}

/** The rows of a description list about a message: sender, day, category and reference. */
export function messageDetails(words: CitizenTexts, message: InboxItem): Html[] {
  const { messages } = words;
  const row = (name: string, value: Html) => html`<dt>${name}</dt><dd>${value}</dd>`;
  const { category, reference } = message;
  return [
    row(messages.sender, html`<bdi>${message.sender}</bdi>`),
    row(words.message.received, dayElement(words, message.receivedAt)),
    ...(category === 'information' ? [] : [row(messages.category, html`${categoryTag(words, message)}`)]),
    ...(reference === null ? [] : [row(messages.reference, referenceElement(reference))]),
  ];
}

function messageActions(frame: PageLayout, { id, archived }: InboxItem): Html {
  const { message: words } = frame.words;
  const path = `${citizenPaths.messages}/${id}`;
  const button = (what: string, text: string) =>
    postForm(frame, {
      action: path,
      content: html`<input type="hidden" name="what" value="${what}" /><button type="submit">${text}</button>`,
    });
  return html`<div class="screen-only">
      <div class="actions">
        ${archived ? button('restore', words.restore) : button('archive', words.archive)}
        ${button('unread', words.unread)}
      </div>
      <p>${words.deadlines}</p>
      <p><a href="${path}/download">${words.download}</a></p>
      <p>${words.print}</p>
      <p><a href="${citizenPaths.home}">${words.back}</a></p>
    </div>`;
}

/** When the message counts as delivered, if its sender named a rule. */
export function legalNote({ language }: CitizenTexts, { legalEffect }: InboxItem): Html | '' {
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
export function titleOf({ subject, sender, language }: InboxItem): string {
  return subject ?? defaultSubject(language ?? undefined, sender);
}
