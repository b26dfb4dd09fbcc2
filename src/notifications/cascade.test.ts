import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CascadePolicy, type PlanAsk, planOf, standardPolicyFor } from './cascade.ts';

const day = 86_400_000;
const policy = standardPolicyFor(new Set(['sms', 'letter']));

function planned(ask: Partial<PlanAsk>, of: CascadePolicy = policy): string[] {
  const steps = planOf(of, { wanted: undefined, begin: 0, deliverBy: 30 * day, urgent: false, ...ask });
  return steps
    .filter(({ channel }) => channel !== 'inbox')
    .map(({ channel, runAt, reminder }) => `${channel} ${runAt / day}${reminder ? ' reminder' : ''}`);
}

test('the first channel that a sender names begins at once, the others keep their distance from it', () => {
  assert.deepEqual(planned({ wanted: ['sms'], urgent: true }), ['sms 0']);
  assert.deepEqual(planned({ wanted: ['inbox', 'letter'] }), ['letter 0']);
  assert.deepEqual(planned({ wanted: ['sms', 'letter'] }), ['sms 0', 'letter 2']);
  assert.deepEqual(planned({ wanted: ['letter', 'sms'], begin: day }), ['letter 1', 'sms 3']);
  assert.deepEqual(planned({ wanted: ['sms', 'email'] }), ['sms 0', 'email 5', 'email 8 reminder']);
  assert.deepEqual(planned({ wanted: ['email'] }), ['email 0', 'email 3 reminder']);
  assert.deepEqual(planned({ wanted: ['inbox'] }), []);
});

test('a first step that would come after deliverBy begins at once', () => {
  const late: CascadePolicy = { ...policy, steps: policy.steps.filter(({ channel }) => channel === 'sms') };
  assert.deepEqual(planned({}, late), ['sms 5']);
  assert.deepEqual(planned({ deliverBy: 5 * day }, late), ['sms 0']);
  assert.deepEqual(planned({ deliverBy: 5 * day + 1 }, late), ['sms 5']);
  assert.deepEqual(planned({ wanted: ['sms'], deliverBy: 2 * day }), ['sms 0']);
});

test('quiet hours hold for a first step that begins at once, but for urgent messages', () => {
  const quiet = { channels: ['sms'] as const, from: 8, until: 18, timeZone: 'UTC' };
  assert.deepEqual(planned({ wanted: ['sms'] }, { ...policy, quiet }), [`sms ${8 / 24}`]);
  assert.deepEqual(planned({ wanted: ['sms'], urgent: true }, { ...policy, quiet }), ['sms 0']);
});
