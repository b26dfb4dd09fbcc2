import { join } from 'node:path';
import { rootKeyFromBytes } from '../../src/crypto/root-key.ts';
import type { Database, Statement } from '../../src/db/database.ts';
import { createIdGenerator, type EventId } from '../../src/kernel/id.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import type { Anchor } from '../../src/ledger/anchor.ts';
import { createCitizenKeys } from '../../src/ledger/citizen-keys.ts';
import { createCommitter } from '../../src/ledger/commit.ts';
import type { LedgerEvent } from '../../src/ledger/ledger-event.ts';
import type { LogSource } from '../../src/ledger/log-source.ts';
import { createLogView, type LogView } from '../../src/ledger/log-view.ts';
import { createPublisher } from '../../src/ledger/publisher.ts';
import { createSequencer } from '../../src/ledger/sequencer.ts';
import { createSystemKeys } from '../../src/ledger/system-keys.ts';
import { parseCheckpoint } from '../../src/ledger/tlog/checkpoint.ts';
import { parseNote } from '../../src/ledger/tlog/note.ts';
import { createNoteSigner, signatureTypes } from '../../src/ledger/tlog/note-key.ts';
import type { TileName } from '../../src/ledger/tlog/tile.ts';
import { TileMissing } from '../../src/ledger/tlog/tiled-tree.ts';
import { policyWithoutWitnesses, type TlogPolicy } from '../../src/ledger/tlog/tlog-policy.ts';
import { emptyErasedList } from './empty-erased-list.ts';

export const origin = 'gov.example/ledger';
export const logSigner = createNoteSigner(signatureTypes.ed25519, origin, new Uint8Array(32).fill(7));

/** The input of a verifier: the public key of the log. */
export const logKeyPolicy: TlogPolicy = policyWithoutWitnesses([logSigner.vkey]);

type LedgerAppOptions = {
  readonly anchor?: Anchor;
  readonly batchLimit?: number;
  readonly fence?: () => number | undefined;
  readonly stopwatch?: () => number;
  /** The write function of sequencer and publisher, to inject faults. */
  readonly write?: Database['write'];
  /** The read function of sequencer and publisher. */
  readonly read?: Database['read'];
};

/** A checkpoint file in memory. */
function createMemoryAnchor(): Anchor {
  let last: string | undefined;
  return {
    read: async () => parseCheckpoint(parseNote(last ?? '')?.text ?? ''),
    advance: async (note) => {
      last = note;
    },
    keepNewer: async () => undefined,
  };
}

/** The ledger over a real database; its sequencer runs when a test calls `sequence`. */
export function buildLedgerApp(db: Database, options: LedgerAppOptions = {}) {
  const time = { now: Date.UTC(2026, 5, 1, 12) };
  const clock = { now: () => time.now };
  const root = rootKeyFromBytes(new Uint8Array(32).fill(1));
  const citizenKeys = createCitizenKeys(db.read, root, systemRandom, clock);
  const systemKeys = createSystemKeys(root);
  const commit = createCommitter({ db, citizenKeys, random: systemRandom }).commit;
  const claim = async (statement: Statement) => (await db.write([statement]))[0] ?? [];
  const createId = createIdGenerator(clock, systemRandom);
  const anchor = options.anchor ?? createMemoryAnchor();
  const faultyDb = { read: options.read ?? db.read, write: options.write ?? db.write };
  const maxBatchEvents = options.batchLimit ?? 100;
  const sequencer = createSequencer({
    db: faultyDb,
    citizenKeys,
    systemKeys,
    random: systemRandom,
    anchor,
    origin,
    maxBatchEvents,
    stopwatch: options.stopwatch ?? (() => 0),
    fence: options.fence ?? (() => 1),
  });
  const publisher = createPublisher({ db: faultyDb, anchor, clock, signers: () => [logSigner] });
  const view = createLogView(db.read, citizenKeys, systemKeys, { witnessed: false });

  /** Numbers all waiting events, and signs once. */
  async function sequence(): Promise<void> {
    while ((await sequencer.step()) !== 0);
    const tree = sequencer.tree();
    if (tree !== undefined) await publisher.publish(tree);
  }

  const event = (citizenId: string | undefined, id: EventId = createId('event')): LedgerEvent =>
    citizenId === undefined
      ? { type: 'notifications.listed', id, at: time.now, actor: { client: 'tax' }, shown: 3 }
      : {
          type: 'document.listed',
          id,
          at: time.now,
          actor: { client: 'tax' },
          citizenId,
          documents: [],
          purpose: 'test',
        };

  return {
    db,
    time,
    clock,
    root,
    citizenKeys,
    systemKeys,
    commit,
    claim,
    createId,
    erasedList: emptyErasedList,
    anchor,
    sequencer,
    publisher,
    view,
    sequence,
    event,
    /** Commits one event about each of these citizens (undefined: a system event), and returns the ids. */
    use: async (...citizens: (string | undefined)[]): Promise<EventId[]> => {
      const events = citizens.map((citizen) => event(citizen));
      await Promise.all(events.map((one) => commit({ events: [one], statements: [] })));
      return events.map(({ id }) => id);
    },
    source: logSourceOf(view),
  };
}

/** The public log, read without a server. */
function logSourceOf(view: LogView): LogSource {
  return {
    checkpoint: async () => (await view.publishedCheckpoint())?.note ?? '',
    tile: async (name) => {
      const found = await view.readTile(name);
      if (found === undefined) throw new TileMissing(name.level, name.index);
      return found;
    },
  };
}

/** A log with some tiles replaced. */
export function withForgedTiles(
  source: LogSource,
  change: (name: TileName, bytes: Uint8Array) => Uint8Array,
): LogSource {
  return { ...source, tile: async (name) => change(name, await source.tile(name)) };
}

export function anchorPath(folder: string): string {
  return join(folder, 'ledger-checkpoint');
}
