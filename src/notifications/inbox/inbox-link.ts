/** The URL of a message in the inbox, by the id of its notification. */
export type InboxLink = (notification: string) => string;

/** Creates links from a URL template with `{id}`. */
export function createInboxLink(url: string): InboxLink {
  return (notification) => url.replaceAll('{id}', notification);
}
