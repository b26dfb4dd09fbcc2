import { html, raw } from 'hono/html';
import type { BufferedResponse } from '../api/buffered-response.ts';
import { defaultSubject } from '../notifications/rendering/default-subject.ts';
import { extractMessageHtml } from '../notifications/rendering/message-html.ts';
import { dayElement, type PageLayout, renderLayout } from './citizen-layout.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import type { HtmlContent } from './page.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** A message as `listInboxMessages` answers it. */
type InboxItem = {
  readonly id: string;
  readonly subject: string | null;
  readonly sender: string;
  readonly language: string | null;
  readonly receivedAt: string;
  readonly opened: boolean;
};

/** What `listInboxMessages` answers. */
export type InboxList = { readonly items: readonly InboxItem[]; readonly next?: string };

/** What `openInboxMessage` answers. */
export type OpenedMessage = InboxItem & {
  readonly html: string;
  readonly attachments: readonly { readonly id: string; readonly title: string }[];
};

/** The list of a citizen's messages, newest first. Looking at it opens none. */
export function messagesPage(
  frame: PageLayout,
  { items, next }: InboxList,
  isFirst: boolean,
): Promise<BufferedResponse> {
  const { words } = frame;
  const content = html`
    ${items.length === 0 && isFirst ? html`<p>${words.messages.none}</p>` : ''}
    <ul class="list">${items.map((item) => messageRow(words, item))}</ul>
    ${isFirst ? '' : html`<p><a href="${citizenPaths.home}">${words.messages.newest}</a></p>`}
    ${next === undefined ? '' : html`<p><a href="${citizenPaths.home}?before=${encodeURIComponent(next)}">${words.messages.older}</a></p>`}`;
  return renderLayout(frame, { title: words.nav.messages, content, current: 'messages' });
}

function messageRow(words: CitizenTexts, item: InboxItem): HtmlContent {
  const fresh = item.opened ? '' : html` <span class="badge">${words.messages.new}</span>`;
  return html`<li>
      <p><a class="${item.opened ? '' : 'fresh'}" href="${citizenPaths.messages}/${item.id}">${titleOf(item)}</a>${fresh}</p>
      <p><bdi>${item.sender}</bdi>, ${dayElement(words, item.receivedAt)}</p>
    </li>`;
}

/** A message that the citizen has opened by coming here. */
export function messagePage(frame: PageLayout, message: OpenedMessage): Promise<BufferedResponse> {
  const { words } = frame;
  const { attachments } = message;
  const content = html`<p><bdi>${message.sender}</bdi>, ${dayElement(words, message.receivedAt)}</p>
    <div lang="${message.language ?? ''}" dir="auto">${raw(extractMessageHtml(message.html))}</div>
    ${
      attachments.length === 0
        ? ''
        : html`<h2>${words.message.attachments}</h2>
          <ul class="list">${attachments.map(({ id, title }) => html`<li><a href="${citizenPaths.documents}/${id}"><bdi>${title}</bdi></a></li>`)}</ul>`
    }
    <p><a href="${citizenPaths.home}">${words.message.back}</a></p>`;
  return renderLayout(frame, { title: titleOf(message), content, current: 'messages' });
}

/** In the language of the message, where it has no subject. */
function titleOf({ subject, sender, language }: InboxItem): string {
  return subject ?? defaultSubject(language ?? undefined, sender);
}
