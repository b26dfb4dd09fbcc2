import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdGenerator } from '../../kernel/id.ts';
import { systemRandom } from '../../kernel/system-clock.ts';
import { localeFor } from '../../locales/locale.ts';
import { decisionLinks } from './proposals-pages.ts';

const id = createIdGenerator({ now: () => 0 }, systemRandom)('proposal');
const proposal = { id, status: 'proposed', proposedBy: { subject: 'olu', name: 'Olu' } } as const;

/** The links for an approver of this service; null: of all services. */
function linksFor(service: string | null, operation: string): readonly string[] {
  const member = { subject: 'alex', name: 'Alex', service, scopes: ['staff:approve'] };
  const shown = String(decisionLinks({ texts: localeFor('en').staffPages, member }, { ...proposal, operation }));
  return [...shown.matchAll(/href="([^"]+)"|This affects all services/g)].map(([text, path]) => path ?? text);
}

test('an approver of a service can only refuse what affects all services, and the page says why', () => {
  const [approve, refuse] = [`/staff/proposals/${id}/approve`, `/staff/proposals/${id}/refuse`];
  assert.deepEqual(linksFor('tax', 'eraseCitizen'), ['This affects all services', refuse]);
  assert.deepEqual(linksFor(null, 'eraseCitizen'), [approve, refuse]);
  assert.deepEqual(linksFor('tax', 'changeClient'), [approve, refuse]);
});
