import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createIdGenerator } from '../../kernel/id.ts';
import { systemRandom } from '../../kernel/system-clock.ts';
import {
  type ChannelName,
  type Delivery,
  type DeliveryOutline,
  type DeliveryState,
  type DeliveryStatus,
  deliveryStatuses,
  deliveryTransitions,
  foldStatus,
  isUnproven,
  type NotificationStatus,
  unprovenReasonOf,
} from './notification.ts';

/** The allowed transitions of a notification. One unit can make several, such as `accepted`, `sending`, `delivered`. */
const notificationTransitions: Readonly<Record<NotificationStatus, readonly NotificationStatus[]>> = {
  accepted: ['scheduled', 'sending', 'cancelled'],
  scheduled: ['sending', 'cancelled'],
  sending: ['delivered', 'sent', 'unknown', 'undeliverable'],
  sent: ['delivered', 'undeliverable'],
  delivered: ['read'],
  read: [],
  unknown: ['delivered', 'sent'],
  undeliverable: ['delivered', 'unknown'],
  cancelled: [],
};

const outline = (channel: ChannelName, status: DeliveryStatus, attempts = 0, reminder = false): DeliveryOutline => {
  return { channel, attempts, reminder, state: { status } };
};
const inbox = (status: DeliveryStatus) => outline('inbox', status);
const email = (status: DeliveryStatus, attempts = 1) => outline('email', status, attempts);
const sms = (status: DeliveryStatus) => outline('sms', status);
const again = (status: DeliveryStatus) => outline('email', status, 0, true);

const cases: ReadonlyArray<[string, NotificationStatus, readonly DeliveryOutline[], boolean, NotificationStatus]> = [
  [
    'a notification with only a copy in the inbox stays accepted',
    'accepted',
    [inbox('sent'), email('queued', 0)],
    false,
    'accepted',
  ],
  [
    'a notification with a claimed delivery is sending',
    'accepted',
    [inbox('sent'), email('sending')],
    false,
    'sending',
  ],
  [
    'a notification whose delivery will be retried is sending',
    'accepted',
    [inbox('sent'), email('queued')],
    false,
    'sending',
  ],
  [
    'a notification that was sent without proof is sending',
    'accepted',
    [inbox('sent'), email('sent')],
    false,
    'sending',
  ],
  ['one proof makes a notification delivered', 'sending', [inbox('sent'), email('delivered')], false, 'delivered'],
  [
    'a notification without an address is undeliverable at once',
    'accepted',
    [inbox('sent'), email('skipped', 0)],
    false,
    'undeliverable',
  ],
  [
    'a notification to a refused address is undeliverable',
    'sending',
    [inbox('sent'), email('failed')],
    false,
    'undeliverable',
  ],
  ['a notification with an unknown outcome is unknown', 'sending', [inbox('sent'), email('unknown')], false, 'unknown'],
  [
    'a notification with an unknown outcome is unknown when its other channels fail',
    'sending',
    [inbox('sent'), email('unknown'), sms('failed')],
    false,
    'unknown',
  ],
  [
    'a notification with an unknown outcome is sending while another channel waits',
    'sending',
    [inbox('sent'), email('unknown'), sms('queued')],
    false,
    'sending',
  ],
  [
    'the deadline makes a notification sent when one channel handed it over without proof',
    'sending',
    [inbox('sent'), email('sent'), sms('unknown')],
    true,
    'sent',
  ],
  [
    'the deadline makes a notification unknown when one attempt still runs',
    'sending',
    [inbox('sent'), email('failed'), sms('sending')],
    true,
    'unknown',
  ],
  ['the deadline makes a notification with an unopened inbox message sent', 'sending', [inbox('sent')], true, 'sent'],
  ['a bounce makes a sent notification undeliverable', 'sent', [inbox('sent'), email('failed')], true, 'undeliverable'],
  [
    'a bounce leaves a sent notification unknown when another channel is unknown',
    'sent',
    [inbox('sent'), email('failed'), sms('unknown')],
    true,
    'unknown',
  ],
  ['a proof makes a sent notification delivered', 'sent', [inbox('sent'), email('delivered')], true, 'delivered'],
  ['a late response makes an unknown notification sent', 'unknown', [inbox('sent'), email('sent')], false, 'sent'],
  [
    'a late failure makes an unknown notification undeliverable',
    'unknown',
    [inbox('sent'), email('failed')],
    false,
    'undeliverable',
  ],
  [
    'the deadline ends a notification that never started',
    'scheduled',
    [inbox('queued'), email('queued', 0)],
    true,
    'undeliverable',
  ],
  ['the deadline does not end a success', 'sending', [inbox('sent'), email('delivered')], true, 'delivered'],
  [
    'an undeliverable notification that the citizen opens is delivered',
    'undeliverable',
    [inbox('delivered'), email('skipped')],
    true,
    'delivered',
  ],
  ['a notification with the inbox as the only channel is sending', 'accepted', [inbox('sent')], false, 'sending'],
  [
    'a notification to the inbox of an unknown citizen is undeliverable',
    'accepted',
    [inbox('failed')],
    false,
    'undeliverable',
  ],
  ['a failure after a proof changes nothing', 'delivered', [inbox('sent'), email('failed')], false, 'delivered'],
  ['a read notification stays read', 'read', [inbox('delivered'), email('failed')], true, 'read'],
  ['a cancelled notification stays cancelled', 'cancelled', [inbox('skipped'), email('skipped')], true, 'cancelled'],
  [
    'a reminder of a skipped message does not count',
    'sending',
    [inbox('sent'), email('skipped'), again('queued')],
    false,
    'undeliverable',
  ],
  [
    'a reminder of a message with an unknown outcome does not count',
    'sending',
    [email('unknown'), again('queued')],
    false,
    'unknown',
  ],
  [
    'a notification with a reminder of a sent message is sending',
    'sending',
    [email('sent'), again('queued')],
    false,
    'sending',
  ],
  ['a claimed reminder counts', 'sending', [email('failed'), again('sending')], false, 'sending'],
  [
    'a notification with another queued channel is sending',
    'sending',
    [email('failed'), again('skipped'), sms('queued')],
    false,
    'sending',
  ],
  ['a scheduled notification stays scheduled', 'scheduled', [inbox('queued'), email('queued', 0)], false, 'scheduled'],
];

for (const [claim, current, deliveries, overdue, expected] of cases) {
  test(claim, () => assert.equal(foldStatus(current, deliveries, overdue), expected));
}

function canReach(from: NotificationStatus, to: NotificationStatus): boolean {
  return from === to || notificationTransitions[from].some((next) => canReach(next, to));
}

test('a notification makes only allowed transitions when its deliveries make allowed transitions in any order', () => {
  const channels: readonly ChannelName[] = ['inbox', 'email', 'sms', 'email'];
  const step = fc.record({ which: fc.nat(3), move: fc.nat(9), overdue: fc.boolean() });
  fc.assert(
    fc.property(
      fc.constantFrom<NotificationStatus>('accepted', 'scheduled'),
      fc.array(step, { maxLength: 30 }),
      (start, steps) => {
        const deliveries = channels.map((channel, index) => {
          return { channel, reminder: index === 3, attempts: 0, state: { status: 'queued' as DeliveryStatus } };
        });
        let status = start;
        let overdue = false;
        for (const { which, move, overdue: late } of steps) {
          const delivery = deliveries[which];
          const moves = delivery === undefined ? [] : deliveryTransitions[delivery.state.status];
          const next = moves[move % Math.max(1, moves.length)];
          if (delivery !== undefined && next !== undefined) {
            if (next === 'sending') delivery.attempts += 1;
            delivery.state.status = next;
          }
          overdue ||= late;
          const folded = foldStatus(status, deliveries, overdue);
          assert.ok(canReach(status, folded), `${status} to ${folded}`);
          assert.equal(foldStatus(folded, deliveries, overdue), folded, 'deriving the status again changes nothing');
          status = folded;
        }
        if (overdue) assert.ok(status === 'delivered' || isUnproven(status), `${status} past its deadline`);
      },
    ),
  );
});

test('every delivery status can be reached, and only read and cancelled are final for a notification', () => {
  assert.deepEqual(
    Object.entries(notificationTransitions)
      .filter(([, next]) => next.length === 0)
      .map(([status]) => status),
    ['read', 'cancelled'],
  );
  const reached = new Set(Object.values(deliveryTransitions).flat());
  assert.deepEqual(
    deliveryStatuses.filter((status) => !reached.has(status)),
    [],
  );
});

test('a notification without proof has the reason of its status, and if it is undeliverable that of its last channel without reminders', () => {
  const createId = createIdGenerator({ now: () => 0 }, systemRandom);
  const of = (channel: Delivery['channel'], state: DeliveryState, reminder = false): Delivery => {
    return { id: createId('delivery'), channel, reminder, attempts: 1, state };
  };
  const inbox = of('inbox', { status: 'sent', endedAt: 0 });
  const email = of('email', { status: 'failed', endedAt: 2, reason: 'address-refused' });
  const sms = of('sms', { status: 'skipped', endedAt: 1, reason: 'no-contact' });
  const reminder = of('email', { status: 'skipped', endedAt: 3, reason: 'nothing-to-remind' }, true);
  const letter = of('letter', { status: 'sent', endedAt: 0 });
  assert.equal(unprovenReasonOf('sent', [inbox]), 'unopened');
  assert.equal(unprovenReasonOf('sent', [inbox, email, letter]), 'no-proof');
  assert.equal(unprovenReasonOf('unknown', [inbox, email]), 'outcome-unknown');
  for (const all of [
    [inbox, email, sms, reminder],
    [inbox, sms, email],
  ])
    assert.equal(unprovenReasonOf('undeliverable', all), 'address-refused');
  const queued = of('email', { status: 'queued', runAt: 9 });
  assert.equal(unprovenReasonOf('undeliverable', [inbox, queued]), 'deadline-passed');
});
