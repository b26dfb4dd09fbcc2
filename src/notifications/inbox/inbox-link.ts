/** Where a citizen reads a message in the inbox, by the id of the notification. */
export type InboxLink = (notification: string) => string;

/** Links made of a URL in which `{id}` stands for the id. */
export function createInboxLink(url: string): InboxLink {
  return (notification) => url.replaceAll('{id}', notification);
}
