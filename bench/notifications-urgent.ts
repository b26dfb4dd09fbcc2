/**
 * Measures how long an urgent message waits while another client has a backlog. The time runs from the acceptance of each of
 * 1,000 urgent messages to the call of the provider. A call takes 5 ms, and 20 calls run at once. Prints the median and the
 * 99th percentile without and with the backlog. Usage: `node bench/notifications-urgent.ts [ENGINE] [BACKLOG]`.
 */

import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPostgres } from '../src/db/postgres/open-postgres.ts';
import { openSqlite } from '../src/db/sqlite/open-sqlite.ts';
import { systemTimer } from '../src/jobs/timer.ts';
import { createIdGenerator } from '../src/kernel/id.ts';
import { systemClock, systemRandom } from '../src/kernel/system-clock.ts';
import { inboxAndEmailPolicy } from '../src/notifications/cascade/cascade.ts';
import { inboxChannel } from '../src/notifications/channels/inbox-channel.ts';
import { startDelivery } from '../src/notifications/delivery/start-delivery.ts';
import { type Channel, unconfiguredChannels } from '../src/notifications/notification/channel.ts';
import { sealMessageContent } from '../src/notifications/notification/message-content.ts';
import { insertNotification, queueName } from '../src/notifications/notification/notification-store.ts';
import { createNotificationApp } from '../test/support/notification-app.ts';
import { BenchFailed } from './bench-failed.ts';
import { makeBenchFolder } from './bench-folder.ts';
import { startBenchPostgres } from './postgres.ts';

const [engineName = 'sqlite', backlogText = '200000'] = process.argv.slice(2);
const backlog = Number(backlogText);
const [providerMs, providerConcurrency, urgentCount, everyMs] = [5, 20, 1_000, 20];
if (engineName !== 'sqlite' && engineName !== 'postgres')
  throw new BenchFailed(`expected sqlite or postgres, received ${engineName}`);
const { db, checkpoint, close } = await openBenchDatabase();
try {
  await runBench(db);
} finally {
  await close();
}

/** A new database on disk. PostgreSQL has its default settings. */
async function openBenchDatabase(): Promise<{
  readonly db: Database;
  checkpoint(): Promise<void>;
  close(): Promise<void>;
}> {
  const folder = makeBenchFolder('cs-urgent-');
  const server = engineName === 'postgres' ? await startBenchPostgres() : undefined;
  const options = { random: systemRandom };
  const opened =
    server === undefined
      ? await openSqlite(join(folder, 'urgent.sqlite'), options)
      : await openPostgres(await server.create('urgent'), options);
  await migrate(opened, systemClock);
  return {
    db: opened,
    checkpoint: async () => await server?.checkpoint(),
    close: async () => {
      await opened.close();
      await server?.stop();
    },
  };
}

async function runBench(database: Database): Promise<void> {
  const app = await createNotificationApp(database, systemClock, { 'cit-ada': { email: 'ada@example.org' } });
  const calledAt = new Map<string, number>();
  let bulkCalls = 0;
  const email: Channel = {
    name: 'email',
    concurrency: providerConcurrency,
    addressOf: (contact) => contact.email,
    prepare: async (message) => ({
      call: async () => {
        if (message.category === 'urgent') calledAt.set(message.notification, performance.now());
        else bulkCalls += 1;
        await pause(providerMs);
        return { outcome: 'sent' };
      },
      drop: () => undefined,
    }),
    close: async () => undefined,
  };
  const worker = await startDelivery({
    ...app,
    read: database.read,
    clock: systemClock,
    timer: systemTimer,
    senderOf: async () => ({ name: 'Tax Office' }),
    calendar: app.ports.calendar,
    urgentPriority: app.ports.urgentPriority,
    cascade: inboxAndEmailPolicy,
    onFault: (fault) => console.error(fault),
    channels: { ...unconfiguredChannels, inbox: inboxChannel, email },
  });
  const urgentQueue = new Set([queueName('email', 0)]);
  async function measure(): Promise<number[]> {
    const waits: number[] = [];
    const sent: Array<{ readonly id: string; readonly at: number }> = [];
    for (let number = 0; number < urgentCount; number += 1) {
      const at = performance.now();
      const id = await app.accept(
        { citizenId: 'cit-ada', category: 'urgent', channels: ['email'] },
        { clientId: 'rescue' },
      );
      // The app does the same for a message that the API accepted.
      worker.wake(urgentQueue);
      sent.push({ id, at });
      await pause(everyMs);
    }
    for (const { id, at } of sent) {
      while (!calledAt.has(id)) await pause(5);
      waits.push((calledAt.get(id) ?? 0) - at);
    }
    return waits.sort((left, right) => left - right);
  }

  const alone = await measure();
  await fillBacklog(database, app);
  await checkpoint();
  worker.wake();
  await pause(1_000);
  const before = bulkCalls;
  const startedAt = performance.now();
  const withBacklog = await measure();
  const rate = Math.round((bulkCalls - before) / ((performance.now() - startedAt) / 1_000));
  const at = (waits: readonly number[], part: number) => (waits[Math.floor(waits.length * part)] ?? 0).toFixed(1);
  console.log(`${engineName}: urgent alone p50 ${at(alone, 0.5)} ms, p99 ${at(alone, 0.99)} ms`);
  console.log(
    `${engineName}: with a backlog of ${backlog} (${rate}/s of it sent) p50 ${at(withBacklog, 0.5)} ms, p99 ${at(withBacklog, 0.99)} ms`,
  );
  console.log(`${engineName}: p99 ${(Number(at(withBacklog, 0.99)) / Number(at(alone, 0.99))).toFixed(2)} times`);
  await worker.stop(5_000);
}

/** Stores the backlog of another client in the same form as `sendNotification`. */
async function fillBacklog(database: Database, app: Awaited<ReturnType<typeof createNotificationApp>>): Promise<void> {
  const key = await app.citizenKeys.keyOf('cit-ada');
  const now = systemClock.now();
  const newId = createIdGenerator(systemClock, systemRandom);
  for (let done = 0; done < backlog; done += 250) {
    const statements = Array.from({ length: 250 }, () => {
      const id = newId('notification');
      const event = newId('event');
      const head = { id, clientId: 'bulk', citizenId: 'cit-ada', reference: null, category: 'information' as const };
      const times = { createdAt: now, sendAt: null, deliverBy: now + 86_400_000, acceptedEvent: event };
      const { content } = sealMessageContent(key, id, { message: 'Hello.' }, app.random);
      const lane = { priority: 1 as const, lane: 'bulk information', reminder: false };
      return insertNotification(
        { ...head, ...times, language: null, legalEffect: null, noticeOnly: false, status: 'accepted', content },
        [{ id: newId('delivery'), channel: 'email', ...lane, initialState: { status: 'queued', runAt: now } }],
      );
    });
    await database.write(statements.flat());
  }
}
