import { html, raw } from 'hono/html';
import type { WholeAnswer } from '../api/whole-answer.ts';
import { phrasesOf } from '../notifications/phrases-by-language.ts';
import { blocksWithin } from '../notifications/text/message-html.ts';
import { dayOf, type Frame, framed } from './citizen-frame.ts';
import { citizenPaths } from './citizen-session.ts';
import type { CitizenWords } from './citizen-words.ts';
import type { Content } from './page.ts';

/** A message as `listInboxMessages` answers it. */
type Item = {
  readonly id: string;
  readonly subject: string | null;
  readonly sender: string;
  readonly language: string | null;
  readonly receivedAt: string;
  readonly opened: boolean;
};

/** What `listInboxMessages` answers. */
export type Inbox = { readonly items: readonly Item[]; readonly next?: string };

/** What `openInboxMessage` answers. */
export type Message = Item & {
  readonly html: string;
  readonly attachments: readonly { readonly id: string; readonly title: string }[];
};

/** The list of a citizen's messages, newest first. Looking at it opens none. */
export function messagesPage(frame: Frame, { items, next }: Inbox, isFirst: boolean): Promise<WholeAnswer> {
  const { words } = frame;
  const content = html`
    ${items.length === 0 && isFirst ? html`<p>${words.messages.none}</p>` : ''}
    <ul class="list">${items.map((item) => row(words, item))}</ul>
    ${isFirst ? '' : html`<p><a href="${citizenPaths.home}">${words.messages.newest}</a></p>`}
    ${next === undefined ? '' : html`<p><a href="${citizenPaths.home}?before=${encodeURIComponent(next)}">${words.messages.older}</a></p>`}`;
  return framed(frame, { title: words.nav.messages, content, current: 'messages' });
}

function row(words: CitizenWords, item: Item): Content {
  const fresh = item.opened ? '' : html` <span class="badge">${words.messages.fresh}</span>`;
  return html`<li>
      <p><a class="${item.opened ? '' : 'fresh'}" href="${citizenPaths.messages}/${item.id}">${titleOf(item)}</a>${fresh}</p>
      <p><bdi>${item.sender}</bdi>, ${dayOf(words, item.receivedAt)}</p>
    </li>`;
}

/** A message that the citizen has opened by coming here. */
export function messagePage(frame: Frame, message: Message): Promise<WholeAnswer> {
  const { words } = frame;
  const { attachments } = message;
  const content = html`<p><bdi>${message.sender}</bdi>, ${dayOf(words, message.receivedAt)}</p>
    <div lang="${message.language ?? ''}" dir="auto">${raw(blocksWithin(message.html))}</div>
    ${
      attachments.length === 0
        ? ''
        : html`<h2>${words.message.attachments}</h2>
          <ul class="list">${attachments.map(({ id, title }) => html`<li><a href="${citizenPaths.documents}/${id}"><bdi>${title}</bdi></a></li>`)}</ul>`
    }
    <p><a href="${citizenPaths.home}">${words.message.back}</a></p>`;
  return framed(frame, { title: titleOf(message), content, current: 'messages' });
}

/** In the language of the message, where it has no subject. */
function titleOf({ subject, sender, language }: Item): string {
  return subject ?? phrasesOf(language ?? undefined).messageFrom(sender);
}
