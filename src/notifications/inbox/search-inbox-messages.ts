import type { Read } from '../../db/database.ts';
import type { ContentKeys } from '../notification/message-content.ts';
import { renderPlainText } from '../rendering/plain-text.ts';
import { findInboxPage, findInboxPosition, type InboxMessage } from './citizen-inbox.ts';
import type { InboxFilter } from './inbox-filter.ts';

/** The messages that one search decrypts at most. Their texts are encrypted, so there is no index of their words. */
export const maxSearched = 500;
const batchSize = 50;

/** A search with its position, which must be a message of the citizen. */
type InboxSearch = {
  readonly text: string;
  readonly filter: InboxFilter;
  /** The id of the message after which the search continues. */
  readonly after?: string | undefined;
  readonly limit: number;
};

/** The messages found. `next` is the message after which the search continues; undefined when all messages were searched. */
type InboxSearchResult = {
  readonly messages: readonly InboxMessage[];
  readonly searched: number;
  readonly next: string | undefined;
};

/** Searches the messages of a citizen, newest first, until it has found `limit` messages or decrypted `maxSearched`. */
export async function searchInboxMessages(
  deps: { readonly read: Read; readonly citizenKeys: ContentKeys },
  citizenId: string,
  { text, filter, after, limit }: InboxSearch,
): Promise<InboxSearchResult> {
  const words = searchWordsOf(text);
  const messages: InboxMessage[] = [];
  let next = after;
  for (let searched = 0; ; ) {
    const before = next === undefined ? undefined : await findInboxPosition(deps.read, citizenId, next);
    const page = await findInboxPage(deps, citizenId, { limit: batchSize, before, filter });
    for (const message of page.messages) {
      searched += 1;
      if (!matchesWords(message, words)) continue;
      messages.push(message);
      const isLast = page.next === undefined && message === page.messages.at(-1);
      if (messages.length === limit) return { messages, searched, next: isLast ? undefined : message.notification.id };
    }
    next = page.next;
    if (next === undefined || searched >= maxSearched) return { messages, searched, next };
  }
}

/** The words of a search, without case and accents. */
function searchWordsOf(text: string): readonly string[] {
  return foldText(text).split(/\s+/).filter(Boolean);
}

/** Whether subject, text, reference or the titles of the documents contain each of the words. */
function matchesWords({ notification, content }: InboxMessage, words: readonly string[]): boolean {
  const { subject = '', attachments = [] } = content;
  const titles = attachments.map(({ title }) => title);
  const text = foldText([subject, notification.reference ?? '', ...titles, renderPlainText(content)].join('\n'));
  return words.every((word) => text.includes(word));
}

/** Removes case, accents and compatibility forms, so that `cafe` finds `Café`. */
function foldText(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
