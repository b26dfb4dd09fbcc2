import type { Operation } from '../operation.ts';
import type { ExampleContext } from './example.ts';

/** The groups by the first segment of the path, with the prefix of their ids. */
const groups: Readonly<Record<string, { readonly idPrefix: string; readonly description: string }>> = {
  identity: { idPrefix: 'ver', description: 'Verify identity claims against the register of citizens.' },
  notifications: { idPrefix: 'ntf', description: 'Send official notifications, and prove their delivery.' },
  documents: { idPrefix: 'doc', description: 'Deposit, retrieve and withdraw documents of citizens.' },
  receipts: { idPrefix: 'evt', description: 'Prove one access by its entry in the ledger.' },
  'access-log': { idPrefix: 'evt', description: 'List the accesses to the data of a citizen, for the citizen.' },
  templates: { idPrefix: 'tpl', description: 'Texts of a message to many citizens, in several languages.' },
  webhooks: { idPrefix: 'whk', description: 'Receive events by HTTP calls.' },
  events: { idPrefix: 'evt', description: 'Read the same events as a feed without gaps.' },
  inbox: { idPrefix: 'ntf', description: 'The messages to a citizen, for the citizen.' },
  'register-record': { idPrefix: 'evt', description: 'The record of a citizen in the register, for the citizen.' },
  'register-lock': { idPrefix: 'evt', description: 'The lock that a citizen sets on their own record.' },
  'contact-preferences': { idPrefix: 'evt', description: 'The contact preferences of a citizen.' },
  'contact-addresses': { idPrefix: 'evt', description: 'The addresses that a citizen added and verified by a code.' },
  register: { idPrefix: 'evt', description: 'The endpoints of the interface.' },
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
  'A new UUID for each new request. A repeated request with the same key returns the first response again.';
