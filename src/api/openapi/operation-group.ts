import type { Operation } from '../operation.ts';
import type { ExampleContext } from './example.ts';

/** The groups by the first segment of the path, with the prefix of their ids. */
const groups: Readonly<Record<string, { readonly idPrefix: string; readonly description: string }>> = {
  identity: {
    idPrefix: 'ver',
    description: 'Verify identity claims, typed or from a wallet, against the register of citizens.',
  },
  notifications: { idPrefix: 'ntf', description: 'Send official notifications, and prove their delivery.' },
  'notification-batches': { idPrefix: 'bat', description: 'Send many notifications with one uploaded file.' },
  documents: { idPrefix: 'doc', description: 'Deposit, retrieve and withdraw documents of citizens.' },
  receipts: { idPrefix: 'evt', description: 'Prove one access with its entry in the ledger.' },
  'access-log': { idPrefix: 'evt', description: 'Show citizens who accessed their data.' },
  templates: { idPrefix: 'tpl', description: 'Store texts for messages to many citizens, in several languages.' },
  webhooks: { idPrefix: 'whk', description: 'Receive the events of notifications as HTTP calls.' },
  events: { idPrefix: 'evt', description: 'Read the events of notifications as a feed without gaps.' },
  client: { idPrefix: 'evt', description: 'Show a client what is registered for it, and how it uses the interface.' },
  inbox: { idPrefix: 'ntf', description: 'Show citizens their official messages.' },
  'register-record': { idPrefix: 'evt', description: 'Show citizens their record in the register.' },
  'register-lock': { idPrefix: 'evt', description: 'Let citizens lock their own record against verification.' },
  'wallet-links': { idPrefix: 'evt', description: 'Let citizens remove the links to their wallets.' },
  'contact-preferences': { idPrefix: 'evt', description: 'Let citizens set their contact preferences.' },
  'contact-addresses': { idPrefix: 'evt', description: 'Let citizens add addresses, which they confirm with a code.' },
  register: { idPrefix: 'evt', description: 'List the endpoints of the interface.' },
};

/** The group of an operation: the first segment of its path after the version. */
export function groupOf<P>({ path }: Operation<P>): string {
  return path.split('/')[2] ?? 'register';
}

/** One sentence about the purpose of a group. */
export function groupDescription(name: string): string {
  return groups[name]?.description ?? `The operations of ${name}.`;
}

/** The context of an operation's examples. */
export function exampleContextOf<P>(operation: Operation<P>, direction: ExampleContext['direction']): ExampleContext {
  const group = groupOf(operation);
  return { direction, group, idPrefix: groups[group]?.idPrefix ?? 'evt' };
}

/** The description of the header for operations that run once for each key. */
export const idempotencyKeyDescription =
  'A new UUID for each new request. If you repeat the request with the same key, you receive the first response again.';
