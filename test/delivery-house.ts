import type { TestContext } from 'node:test';
import { endLeases } from '../src/jobs/lease.ts';
import { absentChannels, type Channel, type Outcome } from '../src/notifications/channels/channel.ts';
import { inboxChannel } from '../src/notifications/channels/inbox.ts';
import { createSmtpEmail } from '../src/notifications/channels/smtp-email.ts';
import { type CascadePolicy, inboxAndEmail } from '../src/notifications/delivery/cascade.ts';
import { type DeliveryProcess, startDelivery } from '../src/notifications/delivery/start-delivery.ts';
import type { Contact } from '../src/notifications/ports.ts';
import type { Db } from '../src/store/db.ts';
import { createNotificationHouse } from './notification-house.ts';
import { startSmtpSink } from './smtp-sink.ts';
import { createVirtualTime, type VirtualTime } from './virtual-time.ts';

export const minute = 60_000;
const citizens = {
  'cit-ada': { email: 'ada@example.org', name: 'Ada' },
  'cit-bo': { email: 'bo@example.org' },
  'cit-no-mail': { phone: '+47 400 00 000' },
};

/** How much of the houses over a database is at work there. */
const atWork = new WeakMap<Db, { count: number }>();

/** The same database, of which is known whether anything is at work there. */
function watched(db: Db): Db {
  const work = atWork.get(db) ?? { count: 0 };
  atWork.set(db, work);
  const during = async <T>(begun: Promise<T>): Promise<T> => {
    work.count += 1;
    return await begun.finally(() => {
      work.count -= 1;
    });
  };
  return { ...db, read: (sql, args) => during(db.read(sql, args)), write: (unit) => during(db.write(unit)) };
}

/** Notifications and their delivery over one database, with a virtual clock and a real relay. */
export async function createDeliveryHouse(
  t: TestContext,
  given: Db,
  more: { cascade?: CascadePolicy; citizens?: Readonly<Record<string, Contact>> } = {},
) {
  const db = watched(given);
  const time = createVirtualTime();
  const cascade = more.cascade ?? inboxAndEmail;
  const house = await createNotificationHouse(db, time.clock, { ...citizens, ...more.citizens }, { cascade });
  const sink = await startSmtpSink(t);
  const smtp = createSmtpEmail({
    url: sink.url,
    sender: { address: 'no-reply@tax.example', messageIdHost: 'tax.example' },
    silenceMs: 10_000,
  });
  t.after(() => smtp.close());
  const faults: unknown[] = [];

  const processes: { isGone: boolean }[] = [];

  /** Starts a worker process; it polls and renews so seldom that the virtual clock can run for days. */
  async function start(more: Partial<DeliveryProcess> & { email?: Channel } = {}) {
    const process = { isGone: false };
    processes.push(process);
    const { claim = house.claim } = more;
    const delivering = await startDelivery({
      read: db.read,
      commit: house.commit,
      clock: time.clock,
      timer: time.timer,
      random: house.random,
      mint: house.mint,
      citizenKeys: house.citizenKeys,
      contactOf: house.contactOf,
      senderOf: async () => ({ name: 'Tax Office' }),
      onFault: (fault) => faults.push(fault),
      cascade,
      channels: { ...absentChannels, inbox: inboxChannel, email: more.email ?? smtp },
      policy: { attempts: 4, firstDelayMs: minute, longestDelayMs: 10 * minute },
      timing: { pollMs: 60 * minute, leaseMs: 60 * minute, recoverMs: 60 * minute },
      ...more,
      claim: async (statement) =>
        process.isGone && statement.sql.includes('skip locked') ? [] : await claim(statement),
    });
    return delivering;
  }

  /**
   * The same where all others are known to be gone, as at each start on SQLite: what they had is lost. They take nothing more, or
   * one that was just looking for more would have its job back before the new one has it.
   */
  const takeOver: typeof start = async (more) => {
    for (const process of processes) process.isGone = true;
    await house.claim(endLeases);
    return await start(more);
  };

  return { time, house, sink, smtp, faults, start, takeOver };
}

/** A provider that answers as told, one answer a call; then it delivers. */
export function scripted(
  ...answers: Array<Outcome | (() => Promise<Outcome>)>
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
        const answer = answers.shift() ?? { outcome: 'delivered' };
        return typeof answer === 'function' ? await answer() : answer;
      },
      drop: () => undefined,
    }),
    close: async () => undefined,
  };
}

/** An answer about a notification, as far as the tests look into it. */
export type Shown = {
  status: string;
  reason?: { code: string };
  deliveries: Array<Record<string, unknown>>;
  timeline: Line[];
};
type Line = { event: string; channel?: string; attempt?: number; reason?: { code: string } };

/** A timeline without its times: `email sent 1`. */
export function linesOf(shown: Shown): string[] {
  return shown.timeline.map(({ event, channel, attempt, reason }) =>
    [channel, event, attempt, reason?.code].filter((part) => part !== undefined).join(' '),
  );
}

/** Looks again each turn of the event loop: for what another process does, which no promise here tells of. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(setImmediate);
}

/** Lets time go on until something holds that takes timers and writes to come about. */
export async function untilLater(
  { time, db, stepMs = 1_000 }: { time: VirtualTime; db: Db; stepMs?: number },
  holds: () => Promise<boolean>,
): Promise<void> {
  while (!(await holds())) await time.advance(stepMs, () => settled(db));
}

/**
 * Gives what is on its way in this process the time to come to where it waits: until nothing of the houses is at work in the
 * database, since a busy machine may leave one statement waiting for longer than any number of others takes.
 */
export async function settled(db: Db): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) {
    if (turn % 5 === 0) await db.write([{ sql: 'select 1 as one' }]);
    await db.read('select 1 as one');
  }
  while ((atWork.get(db)?.count ?? 0) > 0) await new Promise(setImmediate);
}
