import type { scopes } from '../operation.ts';

/** The right that each scope of clients gives, for the OpenAPI document. */
export const scopeDescriptions: Readonly<Record<(typeof scopes)[number], string>> = {
  'identity:verify': 'Verify identity claims, and read earlier results.',
  'identity:verify:claims': 'Receive the result of each claim on a match.',
  'identity:present': 'Ask the wallet of a citizen for a credential, and read the result.',
  'notifications:send': 'Send, preview and cancel notifications, also in batches, and manage templates.',
  'notifications:read': 'Read the status and the evidence of notifications.',
  'documents:read': 'Retrieve documents, and list and read their records.',
  'documents:write': 'Deposit and withdraw documents, and grant other clients access to them.',
  'webhooks:manage': 'Create, list, change and remove webhooks.',
  'events:read': 'Read the events of notifications and presentations.',
  'access-log:hide': 'Conceal an access from the citizen for a time.',
  'citizen:self': 'Let citizens use their own data. Only for tokens of citizens.',
  'citizens:known': 'Learn whether a citizen exists and can be reached.',
};
