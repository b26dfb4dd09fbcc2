import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nextAllowedTime, quietHoursFault } from '../notification/quiet-hours.ts';
import { type CascadePolicy, defaultPolicyFor, type PlanOptions, planSteps } from './cascade.ts';

const day = 86_400_000;
const policy = defaultPolicyFor(new Set(['sms', 'letter']));

function planned(ask: Partial<PlanOptions>, of: CascadePolicy = policy): string[] {
  const steps = planSteps(of, { wanted: undefined, begin: 0, deliverBy: 30 * day, urgent: false, ...ask });
  return steps
    .filter(({ channel }) => channel !== 'inbox')
    .map(({ channel, runAt, reminder }) => `${channel} ${runAt / day}${reminder ? ' reminder' : ''}`);
}

test('the first channel of a sender begins at once, and the others keep their distance from it', () => {
  assert.deepEqual(planned({ wanted: ['sms'], urgent: true }), ['sms 0']);
  assert.deepEqual(planned({ wanted: ['inbox', 'letter'] }), ['letter 0']);
  assert.deepEqual(planned({ wanted: ['sms', 'letter'] }), ['sms 0', 'letter 2']);
  assert.deepEqual(planned({ wanted: ['letter', 'sms'], begin: day }), ['letter 1', 'sms 3']);
  assert.deepEqual(planned({ wanted: ['sms', 'email'] }), ['sms 0', 'email 5', 'email 8 reminder']);
  assert.deepEqual(planned({ wanted: ['email'] }), ['email 0', 'email 3 reminder']);
  assert.deepEqual(planned({ wanted: ['inbox'] }), []);
});

test('a reminder keeps its distance from the first step of its channel in every order', () => {
  const steps: CascadePolicy['steps'] = [
    { channel: 'sms', afterMs: 0 },
    { channel: 'email', afterMs: day },
    { channel: 'email', afterMs: 4 * day, reminder: true },
  ];
  const preferences = { order: ['email', 'letter'] as const };
  const expected = ['email 0', 'sms 1', 'email 3 reminder'];
  assert.deepEqual(planned({ wanted: ['email', 'sms'] }, { ...policy, steps }), expected);
  assert.deepEqual(planned({ preferences }, { ...policy, steps }), expected);
});

test('a reminder keeps its distance from a first step that quiet hours or the deadline moved', () => {
  const hour = day / 24;
  const steps: CascadePolicy['steps'] = [
    { channel: 'email', afterMs: 6 * hour, reminder: true },
    { channel: 'email', afterMs: 0 },
    { channel: 'email', afterMs: 9 * hour, reminder: true },
  ];
  const quiet = { channels: ['email'] as const, from: 8, until: 20, timeZone: 'UTC' };
  const expected = [32, 38, 41].map((hours, place) => `email ${hours / 24}${place === 0 ? '' : ' reminder'}`);
  assert.deepEqual(planned({ begin: 23 * hour }, { ...policy, steps, quiet }), expected);
  const late: CascadePolicy['steps'] = [
    { channel: 'email', afterMs: 5 * day },
    { channel: 'email', afterMs: 7 * day, reminder: true },
  ];
  assert.deepEqual(planned({ deliverBy: 4 * day }, { ...policy, steps: late }), ['email 0', 'email 2 reminder']);
});

test('a first step that would come after deliverBy begins at once', () => {
  const late: CascadePolicy = { ...policy, steps: policy.steps.filter(({ channel }) => channel === 'sms') };
  assert.deepEqual(planned({}, late), ['sms 5']);
  assert.deepEqual(planned({ deliverBy: 5 * day }, late), ['sms 0']);
  assert.deepEqual(planned({ deliverBy: 5 * day + 1 }, late), ['sms 5']);
  assert.deepEqual(planned({ wanted: ['sms'], deliverBy: 2 * day }), ['sms 0']);
});

test('a later step after deliverBy keeps its time, and a reminder after deliverBy is omitted', () => {
  assert.deepEqual(planned({ deliverBy: 12 * day }), ['email 0', 'email 3 reminder', 'sms 5', 'letter 7']);
  assert.deepEqual(planned({ wanted: ['email', 'sms'], deliverBy: 3 * day }), ['email 0', 'sms 5']);
});

test('a letter is sent its lead time before deliverBy, but never before the message begins', () => {
  assert.deepEqual(planned({ deliverBy: 8 * day }), ['email 0', 'email 3 reminder', 'letter 3', 'sms 5']);
  for (const urgent of [false, true])
    assert.deepEqual(planned({ wanted: ['letter'], begin: 8 * day, deliverBy: 10 * day, urgent }), ['letter 8']);
});

test('the default policy has no reminder without providers for text messages and letters', () => {
  assert.deepEqual(planned({}, defaultPolicyFor(new Set())), ['email 0']);
});

test('quiet hours delay a first step that begins at once, unless the message is urgent', () => {
  const quiet = { channels: ['sms'] as const, from: 8, until: 18, timeZone: 'UTC' };
  assert.deepEqual(planned({ wanted: ['sms'] }, { ...policy, quiet }), [`sms ${8 / 24}`]);
  assert.deepEqual(planned({ wanted: ['sms'], urgent: true }, { ...policy, quiet }), ['sms 0']);
});

test('for every policy and preference, no step is lost or early, and each reminder comes after its first step', () => {
  const channels = ['email', 'sms', 'letter'] as const;
  const waitMs = fc.integer({ min: 0, max: 12 }).map((quarters) => (quarters * day) / 4);
  const hour = fc.integer({ min: 0, max: 24 });
  const hours = fc
    .record({ from: hour, until: hour, timeZone: fc.constantFrom('Europe/Lisbon', 'Pacific/Apia') })
    .filter((one) => quietHoursFault(one) === undefined)
    .map((one) => ({ ...one, channels: ['email', 'sms'] as const }));
  const reminders = fc.array(fc.tuple(fc.constantFrom('email', 'sms'), waitMs), { maxLength: 3 });
  const policies = fc
    .tuple(
      fc.shuffledSubarray([...channels], { minLength: 1 }),
      fc.array(waitMs, { minLength: 3, maxLength: 3 }),
      reminders,
    )
    .map(([order, waits, again]) => {
      const firsts = order.map((channel, place) => ({ channel, afterMs: waits[place] ?? 0 }));
      const first = new Map<string, number>(firsts.map(({ channel, afterMs }) => [channel, afterMs]));
      const later = again.filter(([channel, afterMs]) => afterMs > (first.get(channel) ?? Infinity));
      return [...firsts, ...later.map(([channel, afterMs]) => ({ channel, afterMs, reminder: true as const }))];
    });
  const asks = fc.record({
    wanted: fc.option(fc.shuffledSubarray([...channels], { minLength: 1 }), { nil: undefined }),
    begin: fc.integer({ min: Date.UTC(2026, 2, 27), max: Date.UTC(2026, 3, 10) }),
    withinMs: fc.integer({ min: 1, max: 40 * day }),
    urgent: fc.boolean(),
    order: fc.option(fc.shuffledSubarray([...channels]), { nil: undefined }),
    quiet: fc.option(hours, { nil: undefined }),
  });
  fc.assert(
    fc.property(policies, asks, (steps, { wanted, begin, withinMs, urgent, order, quiet }) => {
      const deliverBy = begin + withinMs;
      const of: CascadePolicy = { ...policy, steps, quiet };
      const [inbox, ...plan] = planSteps(of, { wanted, begin, deliverBy, urgent, preferences: order && { order } });
      assert.deepEqual(inbox, { channel: 'inbox', runAt: begin, reminder: false });
      assert.deepEqual(
        plan,
        plan.toSorted((one, other) => one.runAt - other.runAt),
      );
      const first = new Map(plan.filter(({ reminder }) => !reminder).map(({ channel, runAt }) => [channel, runAt]));
      const expected = wanted ?? steps.filter((step) => !('reminder' in step)).map(({ channel }) => channel);
      assert.deepEqual([...first.keys()].sort(), expected.toSorted());
      for (const { channel, runAt, reminder } of plan) {
        assert.ok(runAt >= begin);
        if (channel === 'letter') assert.ok(runAt <= Math.max(begin, deliverBy - of.letterLeadMs));
        else if (!urgent) assert.equal(nextAllowedTime([quiet], channel, runAt), runAt);
        if (reminder) assert.ok(runAt > (first.get(channel) ?? Infinity) && runAt < deliverBy);
      }
      if (urgent || quiet === undefined) assert.ok(Math.min(...first.values()) < deliverBy);
    }),
    { numRuns: 500 },
  );
});
