import { batchInsert } from '../db/batch-statements.ts';
import type { Database, Row, Statement } from '../db/database.ts';
import { rejectIfRetired } from '../db/root-key-store.ts';
import type { RandomBytes } from '../kernel/clock.ts';
import type { CitizenKeys } from './citizen-keys.ts';
import { encodeEventContent, sealEventContent } from './event-content.ts';
import { isCitizenEvent, type LedgerEvent } from './ledger-event.ts';

/**
 * The changes of an operation, with its ledger events. An effect without an event does not compile: this keeps "no effect
 * without its event" (test/compile-errors.ts).
 */
export type Effect = {
  readonly events: readonly [LedgerEvent, ...LedgerEvent[]];
  readonly statements: readonly Statement[];
  /** The job queues that get a job by these statements. Absent: unknown, so a subscriber checks all its queues. */
  readonly queues?: ReadonlySet<string>;
};

/**
 * Writes an effect and its events as one unit. Resolves, with the rows of the effect's statements, when both are synced.
 * Rejects like `Database.write`, and with `RootKeyRetired`. The index of a refused statement counts the effect's statements from 0.
 */
export type Commit = (effect: Effect) => Promise<Row[][]>;

export type EventType = LedgerEvent['type'];

/** Receives the events of one committed effect that have its types, and the queues that the effect named. */
type CommitSubscriber = (events: readonly LedgerEvent[], queues: ReadonlySet<string> | undefined) => void;

/** Calls `fn` after each commit that stored an event of one of these types. */
export type OnCommitted = (types: readonly EventType[], fn: CommitSubscriber) => void;

/** The write path of a process, and the only way to react to its commits. */
export type Committer = { readonly commit: Commit; readonly onCommitted: OnCommitted };

/**
 * A statement that stores nothing. The database refuses it if it cannot store events: a missing right, a standby, or a read-only
 * database.
 */
export const checkEventsWritable: Statement = {
  sql: "insert into ledger_event (id, at, type, content) select id, at, type, content from ledger_event where id = ''",
};

const eventBatch = batchInsert('ledger_event', 'id, at, type, client_id, citizen_id, citizen_tag, content');

type CommitterDeps = {
  readonly db: Pick<Database, 'write'>;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'pseudonymOf'>;
  readonly random: RandomBytes;
  /** Called with the fault of a subscriber. */
  readonly onFault?: (fault: unknown) => void;
};

/**
 * Creates the commit of a database. The content of an event about a citizen is sealed under that citizen's key; the content of
 * other events is clear until the sequencer seals it. Each event is one insert; its number comes later (sequencer.ts).
 *
 * Subscribers run synchronously, once per effect, when the unit is durable and before `commit` resolves. After a crash in
 * between they do not run: a subscriber only shortens a wait, and its job must also poll. A subscriber that throws is reported,
 * and the commit still succeeds.
 */
export function createCommitter({ db, citizenKeys, random, onFault = () => undefined }: CommitterDeps): Committer {
  const subscribers = new Map<EventType, Set<CommitSubscriber>>();

  function publish({ events, queues }: Effect): void {
    const bySubscriber = new Map<CommitSubscriber, LedgerEvent[]>();
    for (const event of events) {
      for (const subscriber of subscribers.get(event.type) ?? []) {
        bySubscriber.set(subscriber, [...(bySubscriber.get(subscriber) ?? []), event]);
      }
    }
    for (const [subscriber, own] of bySubscriber) {
      try {
        subscriber(own, queues);
      } catch (fault) {
        onFault(fault);
      }
    }
  }

  return {
    commit: async (effect) => {
      const unit = [...effect.statements];
      for (const event of effect.events) unit.push(await insertEvent({ citizenKeys, random }, event));
      const rows = await rejectIfRetired(unit, db.write(unit));
      publish(effect);
      return rows.slice(0, effect.statements.length);
    },
    onCommitted: (types, fn) => {
      for (const type of types) {
        const known = subscribers.get(type) ?? new Set();
        subscribers.set(type, known.add(fn));
      }
    },
  };
}

async function insertEvent(
  { citizenKeys, random }: Pick<CommitterDeps, 'citizenKeys' | 'random'>,
  event: LedgerEvent,
): Promise<Statement> {
  const clear = encodeEventContent(event);
  const citizenId = isCitizenEvent(event) ? event.citizenId : null;
  const content =
    citizenId === null ? clear : sealEventContent(await citizenKeys.keyOf(citizenId), event.id, clear, random);
  const clientId = 'client' in event.actor && event.receipt !== false ? event.actor.client : null;
  const tag = citizenId === null ? null : citizenKeys.pseudonymOf(citizenId);
  return eventBatch([event.id, event.at, event.type, clientId, citizenId, tag, content]);
}
