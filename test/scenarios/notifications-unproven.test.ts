import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { parseId } from '../../src/kernel/id.ts';
import { defaultPolicyFor } from '../../src/notifications/cascade/cascade.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox-channel.ts';
import { applyLateReport, type LateOutcome } from '../../src/notifications/delivery/apply-late-report.ts';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import {
  type Channel,
  type ProviderOutcome,
  unconfiguredChannels,
} from '../../src/notifications/notification/channel.ts';
import { readEvents } from '../../src/notifications/read-events.ts';
import { readEvidence } from '../../src/notifications/read-evidence.ts';
import { createFeedNumberer } from '../../src/notifications/webhooks/number-feed.ts';
import { engines } from '../support/database-engines.ts';
import {
  advanceUntil,
  createDeliveryApp,
  createScriptedChannel,
  minuteMs,
  type NotificationView,
  timelineLines,
} from '../support/delivery-app.ts';

// A notification that ends without a proof of delivery is sent, unknown or undeliverable, as far as is known.

const day = 24 * 60 * minuteMs;
const failed: ProviderOutcome = { outcome: 'permanent', reason: 'address-refused' };
const citizens = { 'cit-ida': { name: 'Ida', email: 'ida@example.org', phone: '+4740000000' } };

type FeedPage = { readonly items: ReadonlyArray<{ readonly type: string; readonly data: Record<string, string> }> };
type Report = { ended: 'delivered' | 'sent' } | { ended: 'failed'; reason: 'mailbox-full' };

async function open(t: TestContext, db: Database) {
  const cascade = defaultPolicyFor(new Set(['sms']));
  const { app, time, start, faults } = await createDeliveryApp(t, db, { cascade, citizens });
  const parts = { ...app, read: db.read, clock: time.clock };
  const begin = time.clock.now();
  const calls: string[] = [];
  /** A provider with one outcome for all calls, which notes the day of each. */
  const provider = (name: 'email' | 'sms', outcome: ProviderOutcome): Channel => ({
    ...createScriptedChannel(),
    name,
    addressOf: (contact) => contact.phone,
    prepare: async () => ({
      call: async () => {
        calls.push(`day ${Math.round((time.clock.now() - begin) / day)} ${name}`);
        return outcome;
      },
      drop: () => undefined,
    }),
  });
  const run = async (email: ProviderOutcome, sms: ProviderOutcome, days: number) => {
    const channels = {
      ...unconfiguredChannels,
      inbox: inboxChannel,
      email: provider('email', email),
      sms: provider('sms', sms),
    };
    const worker = await start({ channels, timing: { pollMs: day, leaseMs: 60 * day, recoverMs: 60 * day } });
    worker.wake();
    await time.advance(days * day, worker.idle);
    return worker;
  };
  return {
    app,
    time,
    start,
    faults,
    calls,
    run,
    shown: async (id: string) => (await app.show(id)) as NotificationView,
    report: async (notification: string, channel: string, report: Report, reminder = false) => {
      const sql = 'select id from delivery where notification_id = $1 and channel = $2 and reminder = $3';
      const [row] = await db.read(sql, [notification, channel, reminder]);
      const delivery = parseId('delivery', String(row?.['id'])) ?? assert.fail();
      const outcome: LateOutcome = { delivery, ...report };
      assert.equal(await applyLateReport(parts, outcome), true);
    },
    /** The last event of the feed: type, status, reason. */
    lastEvent: async () => {
      await createFeedNumberer({ read: db.read, write: db.write, clock: time.clock }).run('pass');
      const answer = await app.serve(readEvents)({});
      assert.ok('json' in answer);
      const event = (answer.json as unknown as FeedPage).items.at(-1) ?? assert.fail();
      return [event.type, event.data['status'], event.data['reason']];
    },
    listed: async (status: string) => {
      const answer = await app.list(`status=${status}`);
      assert.ok('json' in answer);
      return (answer.json['items'] as Array<{ id: string }>).map(({ id }) => id);
    },
    evidence: async (id: string) => {
      const answer = await app.serve(readEvidence)({ params: { id } });
      assert.ok('json' in answer);
      const { claims } = verifyEvidence(JSON.stringify(answer.json));
      const events = claims['evidence'] as ReadonlyArray<{ readonly event: string; readonly channel?: string }>;
      return events.map(({ event, channel = '-' }) => `${event.split('/').at(-1)} ${channel}`);
    },
  };
}

for (const engine of engines) {
  const check = (claim: string, body: (t: TestContext, db: Database) => Promise<void>) =>
    test(`${engine.name}: ${claim}`, async (t) => body(t, await engine.open(t)));

  check('a notification is sent at deliverBy without a bounce, and undeliverable after a bounce', async (t, db) => {
    const { app, run, shown, report, lastEvent, listed, evidence, faults } = await open(t, db);
    const id = await app.accept({ citizenId: 'cit-ida', channels: ['email'] });
    await run({ outcome: 'sent' }, failed, 20);
    assert.deepEqual(await lastEvent(), ['notification.sent', 'sent', 'no-proof']);
    assert.deepEqual([await listed('sent'), await listed('undeliverable')], [[id], []]);
    const ended = await shown(id);
    assert.deepEqual([ended.status, ended.reason?.code, timelineLines(ended).at(-1)], ['sent', 'no-proof', 'sent']);
    const before = await evidence(id);
    assert.deepEqual(before.at(-1), 'RelayToNonERDS email');

    await report(id, 'email', { ended: 'failed', reason: 'mailbox-full' });
    // The reminder was handed over, and did not bounce.
    assert.equal((await shown(id)).status, 'sent');
    await report(id, 'email', { ended: 'failed', reason: 'mailbox-full' }, true);
    assert.deepEqual(await lastEvent(), ['notification.delivery-ended', 'undeliverable', 'mailbox-full']);
    const bounced = await shown(id);
    assert.deepEqual(timelineLines(bounced).slice(-4), [
      'sent',
      'email failed mailbox-full',
      'email failed mailbox-full',
      'undeliverable',
    ]);
    assert.deepEqual((await evidence(id)).slice(0, before.length), before);
    assert.deepEqual(faults, []);
  });

  check('after an unknown outcome the next channel keeps its day, and no message is repeated', async (t, db) => {
    const { app, run, shown, calls, evidence, lastEvent } = await open(t, db);
    const id = await app.accept({ citizenId: 'cit-ida' });
    const worker = await run({ outcome: 'unknown' }, failed, 4);
    assert.equal((await shown(id)).status, 'sending');
    await worker.stop(1_000);
    await run({ outcome: 'unknown' }, failed, 20);
    assert.deepEqual(calls, ['day 0 email', 'day 5 sms']);
    const { status, reason } = await shown(id);
    assert.deepEqual([status, reason?.code], ['unknown', 'outcome-unknown']);
    assert.deepEqual(await lastEvent(), ['notification.delivery-ended', 'unknown', 'address-refused']);
    // The evidence claims neither that the mail left, nor that it failed.
    assert.deepEqual(await evidence(id), [
      'SubmissionAcceptance -',
      'ContentConsignment inbox',
      'RelayToNonERDSFailure sms',
    ]);
  });

  check('a status that occurs twice is in the timeline once, and a later proof makes it delivered', async (t, db) => {
    const { app, time, run, shown, report } = await open(t, db);
    const id = await app.accept({ citizenId: 'cit-ida' });
    // The mail is lost, and the text message is handed over.
    const worker = await run({ outcome: 'unknown' }, { outcome: 'sent' }, 20);
    const statuses = [(await shown(id)).status];
    const reports: ReadonlyArray<readonly [string, Report]> = [
      ['sms', { ended: 'failed', reason: 'mailbox-full' }],
      ['email', { ended: 'sent' }],
      ['email', { ended: 'failed', reason: 'mailbox-full' }],
      ['sms', { ended: 'delivered' }],
    ];
    for (const [channel, said] of reports) {
      await time.advance(minuteMs, worker.idle);
      await report(id, channel, said);
      statuses.push((await shown(id)).status);
    }
    assert.deepEqual(statuses, ['sent', 'unknown', 'sent', 'undeliverable', 'delivered']);
    const ends = timelineLines(await shown(id)).filter((line) => ['sent', 'unknown', 'undeliverable'].includes(line));
    assert.deepEqual(ends, ['sent', 'unknown', 'undeliverable']);
  });

  for (const [outcome, expected] of [
    [{ outcome: 'sent' }, 'sent'],
    [failed, 'undeliverable'],
    [{ outcome: 'unknown' }, 'unknown'],
    [{ outcome: 'delivered' }, 'delivered'],
  ] as const) {
    check(`a call that is running at deliverBy is unknown, and then ${expected}`, async (t, db) => {
      const { app, time, start, shown, lastEvent, faults } = await open(t, db);
      const response = Promise.withResolvers<ProviderOutcome>();
      const email = createScriptedChannel(() => response.promise);
      const deliverBy = new Date(time.clock.now() + 5 * minuteMs).toISOString();
      const id = await app.accept({ citizenId: 'cit-ida', channels: ['email'], deliverBy });
      const worker = await start({ email });
      worker.wake();
      await advanceUntil({ time, db }, async () => (await shown(id)).status === 'unknown');
      assert.deepEqual(await lastEvent(), ['notification.unknown', 'unknown', 'outcome-unknown']);
      response.resolve(outcome);
      await worker.idle();
      assert.deepEqual([(await shown(id)).status, faults], [expected, []]);
    });
  }
}
