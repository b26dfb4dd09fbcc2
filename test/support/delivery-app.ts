import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { releaseAllLeases } from '../../src/jobs/lease.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { type CascadePolicy, inboxAndEmailPolicy } from '../../src/notifications/cascade/cascade.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox-channel.ts';
import { defaultSmsMapping, lateReportsInReceipt } from '../../src/notifications/channels/sms-mapping.ts';
import { createSmtpEmail } from '../../src/notifications/channels/smtp-email.ts';
import { type DeliveryDeps, startDelivery } from '../../src/notifications/delivery/start-delivery.ts';
import { createUrgentPriority } from '../../src/notifications/delivery/urgent-priority.ts';
import {
  type Channel,
  type ProviderOutcome,
  unconfiguredChannels,
} from '../../src/notifications/notification/channel.ts';
import type { CitizenContact } from '../../src/notifications/notification/contact.ts';
import { createProviderWebhook, receiptParser } from '../../src/notifications/provider-webhooks/provider-webhook.ts';
import { createNotificationApp } from './notification-app.ts';
import { startTestSmtpServer } from './smtp-server.ts';
import { createVirtualTime, type VirtualTime } from './virtual-time.ts';

export const minuteMs = 60_000;
const testCitizens = {
  'cit-ada': { email: 'ada@example.org', name: 'Ada' },
  'cit-bo': { email: 'bo@example.org' },
  'cit-no-mail': { phone: '+47 400 00 000' },
};

/** The running queries of all apps over a database. */
const pendingQueries = new WeakMap<Database, { count: number }>();

/** Wraps a database so that its running queries are counted. */
function countPendingQueries(db: Database): Database {
  const work = pendingQueries.get(db) ?? { count: 0 };
  pendingQueries.set(db, work);
  const track = async <T>(begun: Promise<T>): Promise<T> => {
    work.count += 1;
    return await begun.finally(() => {
      work.count -= 1;
    });
  };
  return { ...db, read: (sql, args) => track(db.read(sql, args)), write: (unit) => track(db.write(unit)) };
}

/** Creates notifications and their delivery over one database, with a virtual clock and a real relay. */
export async function createDeliveryApp(
  t: TestContext,
  database: Database,
  more: { cascade?: CascadePolicy; citizens?: Readonly<Record<string, CitizenContact>> } = {},
) {
  const db = countPendingQueries(database);
  const time = createVirtualTime();
  const cascade = more.cascade ?? inboxAndEmailPolicy;
  const app = await createNotificationApp(db, time.clock, { ...testCitizens, ...more.citizens }, { cascade });
  const smtpServer = await startTestSmtpServer(t);
  const smtp = createSmtpEmail({
    url: smtpServer.url,
    sender: { address: 'no-reply@tax.example', messageIdHost: 'tax.example' },
    replyTimeoutMs: 10_000,
  });
  t.after(() => smtp.close());
  const faults: unknown[] = [];

  const processes: { isGone: boolean }[] = [];

  /** Starts a worker process. It polls and renews rarely, so that the virtual clock can run for days. */
  async function startWorker(more: Partial<Omit<DeliveryDeps, 'onCommitted'>> & { email?: Channel } = {}) {
    const process = { isGone: false };
    processes.push(process);
    const { claim = app.claim } = more;
    const delivering = await startDelivery({
      read: db.read,
      commit: app.commit,
      onCommitted: app.onCommitted,
      clock: time.clock,
      timer: time.timer,
      random: app.random,
      createId: app.createId,
      citizenKeys: app.citizenKeys,
      contactOf: app.contactOf,
      calendar: app.ports.calendar,
      urgentPriority: createUrgentPriority(time.clock, time.timer),
      senderOf: async () => ({ name: 'Tax Office' }),
      onFault: (fault) => faults.push(fault),
      cascade,
      channels: { ...unconfiguredChannels, inbox: inboxChannel, email: more.email ?? smtp },
      policy: { attempts: 4, firstDelayMs: minuteMs, longestDelayMs: 10 * minuteMs },
      timing: { pollMs: 60 * minuteMs, leaseMs: 60 * minuteMs, recoverMs: 60 * minuteMs },
      ...more,
      claim: async (statement) =>
        process.isGone && statement.postgresSql?.includes('skip locked') === true ? [] : await claim(statement),
    });
    return delivering;
  }

  /**
   * Starts a worker after all others are dead, as at each start on SQLite: their jobs are lost. The dead ones claim nothing
   * more; otherwise one could claim its own job again before the new worker does.
   */
  const takeOver: typeof startWorker = async (more) => {
    for (const process of processes) process.isGone = true;
    await app.claim(releaseAllLeases);
    return await startWorker(more);
  };

  return { time, app, sink: smtpServer, smtp, faults, start: startWorker, takeOver };
}

/** A provider with one scripted outcome for each call; after those it delivers. */
export function createScriptedChannel(
  ...outcomes: Array<ProviderOutcome | (() => Promise<ProviderOutcome>)>
): Channel & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    name: 'email',
    concurrency: 8,
    calls,
    addressOf: (contact) => contact.email,
    prepare: async (message) => ({
      call: async () => {
        calls.push(`${message.delivery}.${message.attempt}`);
        const outcome = outcomes.shift() ?? { outcome: 'delivered' };
        return typeof outcome === 'function' ? await outcome() : outcome;
      },
      drop: () => undefined,
    }),
    close: async () => undefined,
  };
}

/** The members of a notification that the tests read. */
export type NotificationView = {
  status: string;
  reason?: { code: string };
  deliveries: Array<Record<string, unknown>>;
  timeline: TimelineEntry[];
};
type TimelineEntry = { event: string; channel?: string; attempt?: number; reason?: { code: string } };

/** The lines of a timeline without times, such as `email sent 1`. */
export function timelineLines(shown: NotificationView): string[] {
  return shown.timeline.map(({ event, channel, attempt, reason }) =>
    [channel, event, attempt, reason?.code].filter((part) => part !== undefined).join(' '),
  );
}

/** Checks a condition in each tick of the event loop: for actions of another process, for which there is no promise. */
export async function waitOnEventLoopUntil(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise(setImmediate);
}

/** Advances the virtual time until a condition holds that needs timers and writes. */
export async function advanceUntil(
  { time, db, stepMs = 1_000 }: { time: VirtualTime; db: Database; stepMs?: number },
  condition: () => Promise<boolean>,
): Promise<void> {
  while (!(await condition())) await time.advance(stepMs, () => waitForDatabaseIdle(db));
}

/**
 * Waits until no query of the apps is running, so that everything in this process has reached its next wait. On a busy
 * machine one statement may take longer than many others.
 */
export async function waitForDatabaseIdle(db: Database): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) {
    if (turn % 5 === 0) await db.write([{ sql: 'select 1 as one' }]);
    await db.read('select 1 as one');
  }
  while ((pendingQueries.get(db)?.count ?? 0) > 0) await new Promise(setImmediate);
}

/** Starts the webhook of an SMS gateway on loopback; returns a function that sends a receipt and returns the response status. */
export async function startProviderWebhook(t: TestContext, deps: Parameters<typeof createProviderWebhook>[0]) {
  const server = createServer(
    createProviderWebhook(deps, {
      token: new Secret('t0ken'),
      limitBytes: 1_000,
      read: receiptParser((receipt) => lateReportsInReceipt(defaultSmsMapping, receipt, async () => [])),
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  // It listens on TCP, so its address has a port.
  const { port } = server.address() as AddressInfo;
  return async (id: string | undefined, status: string, token = 't0ken'): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ id, status });
    return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
  };
}
