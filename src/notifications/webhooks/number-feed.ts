import { type Database, type Read, type Statement, WriteRefused } from '../../db/database.ts';
import type { JobQueue } from '../../jobs/job-worker.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { NotificationStatus } from '../notification/notification.ts';
import {
  assignNumbers,
  findFeedHead,
  findUnnumberedEvents,
  moveFeedHead,
  presentationFeedStatuses,
  type UnnumberedEvent,
} from './feed-store.ts';
import { insertCalls } from './webhook-call-store.ts';
import { findActiveWebhooks } from './webhook-store.ts';

const numbersPerPass = 200;

/** Writes a unit that touches no citizen's data (see `Database.write`). */
export type WriteUnit = Database['write'];

/** The dependencies of `createFeedNumberer`. */
export type NumbererDeps = {
  readonly read: Read;
  readonly write: WriteUnit;
  readonly clock: Clock;
  /** Waits after each pass, so that the next pass numbers several events: a pass costs as much as 20 events. */
  pause?(): Promise<void>;
};

/**
 * Numbers the committed events of the feed, as a queue for a worker that runs one job at a time. Two processes can do this at the same
 * time: the check of the last number (`moveFeedHead`) refuses the slower unit as a whole, so no number is assigned twice or skipped. The
 * same unit queues a call for each webhook of the client.
 */
export function createFeedNumberer(deps: NumbererDeps): JobQueue<'pass'> {
  return {
    nextDueAt: async () => {
      const [event] = await findUnnumberedEvents(deps.read, 1);
      return event && dueAt(event, deps.clock);
    },
    claim: async () => ['pass'],
    run: async () => {
      while ((await numberBatch(deps)) === numbersPerPass);
      await deps.pause?.();
    },
  };
}

/** When an event is due: at once when its time lies in the future, because a process with a fast clock has stored it. */
function dueAt({ at }: UnnumberedEvent, clock: Clock): number {
  return Math.min(at, clock.now());
}

async function numberBatch({ read, write, clock }: NumbererDeps): Promise<number> {
  const events = await findUnnumberedEvents(read, numbersPerPass);
  if (events.length === 0) return 0;
  const unit: Statement[] = [];
  for (const [clientId, clientEvents] of Map.groupBy(inStatusOrder(events), (event) => event.clientId)) {
    unit.push(...(await numberStatements({ read, clock }, clientId, clientEvents)));
  }
  try {
    await write(unit);
  } catch (fault) {
    if (!(fault instanceof WriteRefused)) throw fault;
  }
  return events.length;
}

/** The stages in the life of a notification. The final statuses without proof can follow each other in any order. */
const stages: Readonly<Record<NotificationStatus, number>> = {
  accepted: 0,
  scheduled: 1,
  sending: 2,
  sent: 3,
  unknown: 3,
  undeliverable: 3,
  delivered: 4,
  read: 5,
  cancelled: 6,
};

/**
 * Events in the order of their ids, but the events of one notification or presentation in the order of their stages. An id contains
 * the time of the process that created it, so two processes whose clocks differ by less than a second can create ids in the wrong
 * order.
 */
function inStatusOrder(events: readonly UnnumberedEvent[]): UnnumberedEvent[] {
  const stage = ({ data }: UnnumberedEvent) => {
    if ('batch' in data) return 0;
    return 'notification' in data ? stages[data.status] : presentationFeedStatuses.indexOf(data.status);
  };
  const subject = ({ data }: UnnumberedEvent) => {
    if ('batch' in data) return data.batch;
    return 'notification' in data ? data.notification : data.presentation;
  };
  const bySubject = Map.groupBy(events, subject);
  for (const related of bySubject.values()) related.sort((a, b) => stage(a) - stage(b));
  return events.flatMap((event) => bySubject.get(subject(event))?.shift() ?? []);
}

async function numberStatements(
  { read, clock }: Pick<NumbererDeps, 'read' | 'clock'>,
  clientId: string,
  events: readonly UnnumberedEvent[],
): Promise<Statement[]> {
  const { last } = await findFeedHead(read, clientId);
  const webhooks = await findActiveWebhooks(read, clientId);
  return [
    moveFeedHead(clientId, last, last + events.length),
    ...assignNumbers(events.map(({ id }, index) => [id, last + index + 1])),
    ...insertCalls(
      events.flatMap((event) => webhooks.map((webhook) => ({ webhook, event: event.id, at: dueAt(event, clock) }))),
    ),
  ];
}
