import { type Database, type Read, type Statement, WriteRefused } from '../../db/database.ts';
import type { JobQueue } from '../../jobs/job-worker.ts';
import type { Clock } from '../../kernel/clock.ts';
import {
  assignNumbers,
  findLastNumber,
  findUnnumberedEvents,
  moveFeedHead,
  type UnnumberedEvent,
} from './feed-store.ts';
import { insertCalls } from './webhook-call-store.ts';
import { findActiveWebhooks } from './webhook-store.ts';

const numbersPerPass = 200;

/** Writes a unit that moves no citizen's data, as `Db.write`. */
export type WriteUnit = Database['write'];

export type NumbererDeps = {
  readonly read: Read;
  readonly write: WriteUnit;
  readonly clock: Clock;
  /** A pause behind each pass, so that many events share the next one: a pass costs as much as twenty events. */
  pause?(): Promise<void>;
};

/**
 * Numbers what was committed, as a queue of one job. Two processes may do so at once: the unit of the slower one is
 * refused as a whole by the client's head, so no number is given twice and none is left out. In the same unit each event
 * gets a call for each webhook of its client.
 */
export function createFeedNumberer(deps: NumbererDeps): JobQueue<'pass'> {
  let isRunning = false;
  return {
    nextDueAt: async () => {
      if (isRunning) return undefined;
      const [event] = await findUnnumberedEvents(deps.read, 1);
      return event && dueAt(event, deps.clock);
    },
    claim: async () => {
      if (isRunning) return [];
      isRunning = true;
      return ['pass'];
    },
    run: async () => {
      try {
        while ((await numberBatch(deps)) === numbersPerPass);
        await deps.pause?.();
      } finally {
        isRunning = false;
      }
    },
  };
}

/** What was told is due: an instant that has not come is that of a process whose clock is ahead, and nothing waits for it. */
function dueAt({ at }: UnnumberedEvent, clock: Clock): number {
  return Math.min(at, clock.now());
}

async function numberBatch({ read, write, clock }: NumbererDeps): Promise<number> {
  const events = await findUnnumberedEvents(read, numbersPerPass);
  if (events.length === 0) return 0;
  const unit: Statement[] = [];
  for (const [clientId, own] of Map.groupBy(inStatusOrder(events), (event) => event.clientId)) {
    unit.push(...(await numberStatements({ read, clock }, clientId, own)));
  }
  try {
    await write(unit);
  } catch (fault) {
    if (!(fault instanceof WriteRefused)) throw fault;
  }
  return events.length;
}

/** By which of them comes before the other in the life of a notification; see `notificationMoves`. */
const statusOrder = ['accepted', 'scheduled', 'sending', 'undeliverable', 'delivered', 'read', 'cancelled'] as const;

/**
 * Events in the order of their ids, as they came, but those of one notification change places by their statuses: ids have
 * the time of the process that made them, and clocks that agree within a second may turn two events round.
 */
function inStatusOrder(events: readonly UnnumberedEvent[]): UnnumberedEvent[] {
  const stage = ({ data }: UnnumberedEvent) => statusOrder.indexOf(data.status);
  const byNotification = Map.groupBy(events, ({ data }) => data.notification);
  for (const own of byNotification.values()) own.sort((a, b) => stage(a) - stage(b));
  return events.flatMap(({ data }) => byNotification.get(data.notification)?.shift() ?? []);
}

async function numberStatements(
  { read, clock }: Pick<NumbererDeps, 'read' | 'clock'>,
  clientId: string,
  events: readonly UnnumberedEvent[],
): Promise<Statement[]> {
  const [last, webhooks] = [await findLastNumber(read, clientId), await findActiveWebhooks(read, clientId)];
  return [
    moveFeedHead(clientId, last, last + events.length),
    ...assignNumbers(events.map(({ id }, index) => [id, last + index + 1])),
    ...insertCalls(
      events.flatMap((event) => webhooks.map((webhook) => ({ webhook, event: event.id, at: dueAt(event, clock) }))),
    ),
  ];
}
