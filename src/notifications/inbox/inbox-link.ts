import type { Settings } from '../../config/settings.ts';

/** The URL of a message in the inbox, by the id of its notification. */
export type InboxLink = (notification: string) => string;

/** Creates links from a URL template with `{id}`. */
export function createInboxLink(url: string): InboxLink {
  return (notification) => url.replaceAll('{id}', notification);
}

/** The links by which citizens open a message in their inbox; undefined without `INBOX_URL`. */
export function inboxLinkOf({ inboxUrl }: Pick<Settings, 'inboxUrl'>): InboxLink | undefined {
  return inboxUrl === undefined ? undefined : createInboxLink(inboxUrl);
}
