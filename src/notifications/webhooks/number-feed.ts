import type { Queue } from '../../jobs/worker.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Commit } from '../../ledger/commit.ts';
import { type Db, type Read, type Statement, WriteRefused } from '../../store/db.ts';
import { findUnnumbered, giveNumbers, lastNumber, moveHead, type Unnumbered } from './feed-store.ts';
import { insertCalls } from './webhook-call-store.ts';
import { findActive } from './webhook-store.ts';

const numberedAtOnce = 200;

/** A commit that rings when it has stored something for the feed. */
export function tellingCommit(commit: Commit, wake: () => void): Commit {
  return async (effect) => {
    const rows = await commit(effect);
    if (effect.statements.some(({ sql }) => sql.startsWith('insert into feed_event'))) wake();
    return rows;
  };
}

/** Writes a unit that moves no citizen's data, as `Db.write`. */
export type WriteUnit = Db['write'];

export type NumbererParts = {
  readonly read: Read;
  readonly write: WriteUnit;
  readonly clock: Clock;
  /** A pause behind each pass, so that many events share the next one: a pass costs as much as twenty events. */
  rest?(): Promise<void>;
};

/**
 * Numbers what was committed, as a queue of one job. Two processes may do so at once: the unit of the slower one is
 * refused as a whole by the client's head, so no number is given twice and none is left out. In the same unit each event
 * gets a call for each webhook of its client.
 */
export function createNumberer(parts: NumbererParts): Queue<'pass'> {
  let atWork = false;
  return {
    nextDueAt: async () => {
      if (atWork) return undefined;
      const [event] = await findUnnumbered(parts.read, 1);
      return event && dueAt(event, parts.clock);
    },
    claim: async () => {
      if (atWork) return [];
      atWork = true;
      return ['pass'];
    },
    run: async () => {
      try {
        while ((await numberOnce(parts)) === numberedAtOnce);
        await parts.rest?.();
      } finally {
        atWork = false;
      }
    },
  };
}

/** What was told is due: an instant that has not come is that of a process whose clock is ahead, and nothing waits for it. */
function dueAt({ at }: Unnumbered, clock: Clock): number {
  return Math.min(at, clock.now());
}

async function numberOnce({ read, write, clock }: NumbererParts): Promise<number> {
  const events = await findUnnumbered(read, numberedAtOnce);
  if (events.length === 0) return 0;
  const unit: Statement[] = [];
  for (const [clientId, own] of Map.groupBy(inOrder(events), (event) => event.clientId)) {
    unit.push(...(await numbersFor({ read, clock }, clientId, own)));
  }
  try {
    await write(unit);
  } catch (fault) {
    if (!(fault instanceof WriteRefused)) throw fault;
  }
  return events.length;
}

/** By which of them comes before the other in the life of a notification; see `notificationMoves`. */
const stages = ['accepted', 'scheduled', 'sending', 'undeliverable', 'delivered', 'read', 'cancelled'] as const;

/**
 * Events in the order of their ids, as they came, but those of one notification change places by their statuses: ids have
 * the time of the process that made them, and clocks that agree within a second may turn two events round.
 */
function inOrder(events: readonly Unnumbered[]): Unnumbered[] {
  const stage = ({ data }: Unnumbered) => stages.indexOf(data.status);
  const ofOne = Map.groupBy(events, ({ data }) => data.notification);
  for (const own of ofOne.values()) own.sort((a, b) => stage(a) - stage(b));
  return events.flatMap(({ data }) => ofOne.get(data.notification)?.shift() ?? []);
}

async function numbersFor(
  { read, clock }: Pick<NumbererParts, 'read' | 'clock'>,
  clientId: string,
  events: readonly Unnumbered[],
): Promise<Statement[]> {
  const [last, webhooks] = [await lastNumber(read, clientId), await findActive(read, clientId)];
  return [
    moveHead(clientId, last, last + events.length),
    ...giveNumbers(events.map(({ id }, index) => [id, last + index + 1])),
    ...insertCalls(
      events.flatMap((event) => webhooks.map((webhook) => ({ webhook, event: event.id, at: dueAt(event, clock) }))),
    ),
  ];
}
