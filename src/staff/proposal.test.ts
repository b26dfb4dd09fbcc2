import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdGenerator } from '../kernel/id.ts';
import { isOpen, maySeeProposal, type Proposal, proposalView } from './proposal.ts';

const createId = createIdGenerator({ now: () => 0 }, (size) => new Uint8Array(size));
const proposal: Proposal = {
  id: createId('proposal'),
  at: 0,
  expiresAt: 1_000,
  operation: 'eraseCitizen',
  input: { citizenId: 'anna' },
  reason: 'The person asked for it.',
  proposer: { subject: 'olu', name: 'Olu' },
  service: 'tax',
  before: { erased: false },
  status: 'proposed',
};

test('a proposal is open until its time is over, and is then shown as expired', () => {
  assert.deepEqual([isOpen(proposal, 999), proposalView(proposal, 999).status], [true, 'proposed']);
  assert.deepEqual([isOpen(proposal, 1_000), proposalView(proposal, 1_000).status], [false, 'expired']);
  // A decision stays what it was.
  const refused = { ...proposal, status: 'refused' } as const;
  assert.deepEqual([isOpen(refused, 999), proposalView(refused, 1_000).status], [false, 'refused']);
});

test('people see their own proposals, and with a right to decide or audit those of their service', () => {
  const sees = (subject: string, service: string | null, ...scopes: string[]) =>
    maySeeProposal({ scopes: new Set(scopes) }, { subject, name: subject, service }, proposal);
  assert.equal(sees('olu', 'other'), true);
  assert.equal(sees('sam', 'tax', 'staff:support'), false);
  assert.equal(sees('alex', 'tax', 'staff:approve'), true);
  assert.equal(sees('alex', null, 'staff:approve'), true);
  assert.equal(sees('alex', 'water', 'staff:approve', 'staff:operate', 'staff:audit'), false);
});
