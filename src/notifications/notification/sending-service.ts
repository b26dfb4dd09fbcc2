import type { Client } from '../../auth/client.ts';
import type { ClientCache } from '../../auth/client-cache.ts';
import type { ClientMessages } from '../../auth/client-messages.ts';
import type { Category } from './notification.ts';

/** The client id under which the server itself writes to citizens about their record. No client has it. */
export const systemClient = 'citizen-services';

/** The service of a client, with the name that citizens read now. */
export type SendingService = {
  readonly name: string;
  /** Where its undeliverable letters are returned to, line by line. Left out: to the return address of the installation. */
  readonly returnAddress?: readonly string[] | undefined;
  readonly messages?: ClientMessages | undefined;
};

/** Categories whose mails and text messages have no content by default, if citizens can read the messages on the web. */
const defaultNoticeOnly: readonly Category[] = ['decision'];

/** Whether mails and text messages of this category only say that there is a message. */
export function isNoticeOnly({ messages }: SendingService, category: Category, hasInboxPage: boolean): boolean {
  const chosen = messages?.noticeOnly ?? (hasInboxPage ? defaultNoticeOnly : []);
  return chosen.includes(category);
}

export type SenderOf = (clientId: string) => Promise<SendingService>;

type Clients = { get(clientId: string): Client | undefined };

/** Looks services up among known clients. The server itself has the name of its register. */
export function createServiceLookup(clients: Clients, registerName: string): (clientId: string) => SendingService {
  return (clientId) => clients.get(clientId) ?? { name: clientId === systemClient ? registerName : clientId };
}

/** The same, after a refresh of clients that are not fresh. */
export function createSenderLookup(clients: ClientCache, registerName: string): SenderOf {
  const serviceOf = createServiceLookup(clients, registerName);
  return async (clientId) => {
    if (!clients.isFresh()) await clients.refresh();
    return serviceOf(clientId);
  };
}
