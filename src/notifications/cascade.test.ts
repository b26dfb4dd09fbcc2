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

test('a reminder keeps its distance from the first step of its channel, wherever that goes', () => {
  const steps: CascadePolicy['steps'] = [
    { channel: 'sms', afterMs: 0 },
    { channel: 'email', afterMs: day },
    { channel: 'email', afterMs: 4 * day, reminder: true },
  ];
  const wishes = { order: ['email', 'letter'] as const };
  const expected = ['email 0', 'sms 1', 'email 3 reminder'];
  assert.deepEqual(planned({ wanted: ['email', 'sms'] }, { ...policy, steps }), expected);
  assert.deepEqual(planned({ wishes }, { ...policy, steps }), expected);
});

test('a first step that would come after deliverBy begins at once', () => {
  const late: CascadePolicy = { ...policy, steps: policy.steps.filter(({ channel }) => channel === 'sms') };
  assert.deepEqual(planned({}, late), ['sms 5']);
  assert.deepEqual(planned({ deliverBy: 5 * day }, late), ['sms 0']);
  assert.deepEqual(planned({ deliverBy: 5 * day + 1 }, late), ['sms 5']);
  assert.deepEqual(planned({ wanted: ['sms'], deliverBy: 2 * day }), ['sms 0']);
});

test('a step that comes after deliverBy is not begun at once for it, and a reminder that would is left out', () => {
  assert.deepEqual(planned({ deliverBy: 12 * day }), ['email 0', 'email 3 reminder', 'sms 5', 'letter 7']);
  assert.deepEqual(planned({ wanted: ['email', 'sms'], deliverBy: 3 * day }), ['email 0', 'sms 5']);
});

test('a letter goes its time before deliverBy, and never before the message begins', () => {
  assert.deepEqual(planned({ deliverBy: 8 * day }), ['email 0', 'email 3 reminder', 'letter 3', 'sms 5']);
  for (const urgent of [false, true])
    assert.deepEqual(planned({ wanted: ['letter'], begin: 8 * day, deliverBy: 10 * day, urgent }), ['letter 8']);
});

test('without providers of text messages and letters nobody is reminded', () => {
  assert.deepEqual(planned({}, standardPolicyFor(new Set())), ['email 0']);
});

test('quiet hours hold for a first step that begins at once, but for urgent messages', () => {
  const quiet = { channels: ['sms'] as const, from: 8, until: 18, timeZone: 'UTC' };
  assert.deepEqual(planned({ wanted: ['sms'] }, { ...policy, quiet }), [`sms ${8 / 24}`]);
  assert.deepEqual(planned({ wanted: ['sms'], urgent: true }, { ...policy, quiet }), ['sms 0']);
});
