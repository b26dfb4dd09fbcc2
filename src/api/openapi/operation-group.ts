import type { Operation } from '../operation.ts';
import type { ExampleContext } from './example.ts';

/** The groups by the first segment of the path, with the prefix of their ids. */
const groups: Readonly<Record<string, { readonly idPrefix: string; readonly description: string }>> = {
  identity: { idPrefix: 'ver', description: 'Verify what somebody claims to be against the register of citizens.' },
  notifications: { idPrefix: 'ntf', description: 'Send official notifications, and prove what became of them.' },
  documents: { idPrefix: 'doc', description: 'Deposit, give out and withdraw the documents of citizens.' },
  receipts: { idPrefix: 'evt', description: 'Proof of one use in the ledger.' },
  'access-log': { idPrefix: 'evt', description: 'What a citizen may know of the use of the own data.' },
  templates: { idPrefix: 'tpl', description: 'Texts for one message to many, each in the own language.' },
  webhooks: { idPrefix: 'whk', description: 'Be called when something happened.' },
  events: { idPrefix: 'evt', description: 'The same facts as a feed without gaps.' },
  inbox: { idPrefix: 'ntf', description: 'What a citizen was sent, for the citizen.' },
  'register-record': { idPrefix: 'evt', description: 'What the register has about a citizen, for the citizen.' },
  'register-lock': { idPrefix: 'evt', description: 'The lock that a citizen sets on the own details.' },
  'contact-preferences': { idPrefix: 'evt', description: 'How a citizen wishes to be reached.' },
  'contact-addresses': { idPrefix: 'evt', description: 'The own addresses of a citizen, verified by a code.' },
  register: { idPrefix: 'evt', description: 'The interface itself, as data.' },
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
  'A fresh UUID for each new request: repeating the request with the same key gives the first answer again.';
