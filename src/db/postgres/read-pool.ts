import { setImmediate as nextTick } from 'node:timers/promises';
import { ReadFailed, type ReadOptions, ReadUnavailable, type Row, type SqlValue } from '../database.ts';
import { createLockedTables, type LockedTables } from './locked-tables.ts';
import { mergeLookups, type PendingRead } from './merge-lookups.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { postgresErrorMessage } from './postgres-fault.ts';

/** The connections for reads. Each pipelines many reads. */
type ReadPool = {
  read(sql: string, args?: readonly SqlValue[], options?: ReadOptions): Promise<Row[]>;
  close(): Promise<void>;
};

/**
 * Lookups by a key have connections of their own, on which no plan scans a whole table. The server caches the plan of a
 * prepared statement: a scan that it planned while the table was small would stay until the next `analyze`.
 */
const connectionCounts = { lookups: 2, others: 3, probes: 1 } as const;
// `enable_seqscan = off` makes the only plan for a table without an index look expensive, which would start the JIT compiler.
const lookupSetup = 'set enable_seqscan = off; set jit = off';
const triesPerRead = 3;
/** The most reads of one tick on one connection. */
const maxReadsPerConnection = 16;

type Slot = { opening: Promise<PostgresConnection> | undefined; waiting: number };
type ReadResult = { readonly rows: Row[] } | { readonly fault: string };

/** Opens a connection for reads; `setup` is the SQL that this connection needs in addition. */
type OpenReadConnection = (setup: string) => Promise<PostgresConnection>;
type ReadGroup = { readonly slots: readonly Slot[]; readonly open: () => Promise<PostgresConnection> };

/** A pool that opens its connections when needed, and again after a loss. It repeats a read whose connection was lost. */
export function createReadPool(open: OpenReadConnection): ReadPool {
  const lookups = createGroup(connectionCounts.lookups, () => open(lookupSetup));
  const others = createGroup(connectionCounts.others, () => open(''));
  const probes = createGroup(connectionCounts.probes, () => open(''));
  const locked = createLockedTables();
  let pendingReads: PendingRead[] = [];

  // The reads of one tick of the event loop are sent in one write.
  function flush(): void {
    const { byKey = [], rest = [] } = Object.groupBy(pendingReads, groupOfRead);
    pendingReads = [];
    sendReads(lookups, mergeLookups(byKey));
    sendReads(others, rest);
  }

  function sendReads(group: ReadGroup, reads: readonly PendingRead[]): void {
    const { blocked = [], free = [] } = Object.groupBy(reads, ({ sql }) =>
      locked.includesAny([sql]) ? 'blocked' : 'free',
    );
    for (const one of blocked) sendLockedRead(group, one);
    for (let from = 0; from < free.length; from += maxReadsPerConnection) {
      const slot = leastBusy(group);
      for (const one of free.slice(from, from + maxReadsPerConnection)) {
        readWithRetries(group, slot, one, locked).then(one.resolve, (error: unknown) =>
          rejectOrSplit(group, one, error),
        );
      }
    }
  }

  function sendLockedRead(group: ReadGroup, one: PendingRead): void {
    const readIn = (target: ReadGroup) => () => readWithRetries(target, leastBusy(target), one, locked);
    const actions = { probe: readIn(probes), usual: readIn(group), fault: unavailableTable };
    locked.probeOrWait([one.sql], actions).then(one.resolve, (error: unknown) => rejectOrSplit(group, one, error));
  }

  /** Repeats the parts of a merged read that failed: a row that cannot be read fails only the caller that needs it. */
  function rejectOrSplit(group: ReadGroup, one: PendingRead, error: unknown): void {
    if (one.parts === undefined || error instanceof ReadUnavailable) one.reject(error);
    else sendReads(group, one.parts);
  }

  return {
    read: (sql, args = [], options = {}) =>
      new Promise((resolve, reject) => {
        pendingReads.push({ sql, args, options, resolve, reject });
        if (pendingReads.length === 1) setImmediate(flush);
      }),
    close: async () => {
      // The pending reads are sent first: after the end of their connection they would open another one.
      await nextTick();
      const opened = await Promise.allSettled(
        [lookups, others, probes].flatMap(({ slots }) => slots).map(({ opening }) => opening),
      );
      for (const slot of opened) {
        if (slot.status === 'fulfilled' && slot.value?.usable) await slot.value.close();
      }
    },
  };
}

function groupOfRead({ options }: PendingRead): 'byKey' | 'rest' {
  return options.lookup === undefined ? 'rest' : 'byKey';
}

type LockMarker = Pick<LockedTables, 'markLocked'>;

async function readWithRetries(group: ReadGroup, slot: Slot, one: PendingRead, locked: LockMarker): Promise<Row[]> {
  let result = await readOnce(group, slot, one, locked);
  for (let tries = 1; tries < triesPerRead && 'fault' in result; tries += 1) {
    result = await readOnce(group, leastBusy(group), one, locked);
  }
  if ('fault' in result) throw new ReadUnavailable(`the database does not answer: ${result.fault}`);
  return result.rows;
}

async function readOnce({ open }: ReadGroup, slot: Slot, one: PendingRead, locked: LockMarker): Promise<ReadResult> {
  slot.waiting += 1;
  try {
    return await readOn(await connectionOf(slot, open), one, locked);
  } finally {
    slot.waiting -= 1;
  }
}

function unavailableTable(table: string): ReadUnavailable {
  return new ReadUnavailable(`another session has locked ${table}, and another read has just waited for it`);
}

function createGroup(count: number, open: ReadGroup['open']): ReadGroup {
  return { open, slots: Array.from({ length: count }, () => ({ opening: undefined, waiting: 0 })) };
}

function leastBusy({ slots }: ReadGroup): Slot {
  return slots.reduce((least, other) => (other.waiting < least.waiting ? other : least));
}

async function connectionOf(slot: Slot, open: () => Promise<PostgresConnection>): Promise<PostgresConnection> {
  const opening = slot.opening;
  if (opening !== undefined && (await opening).usable) return opening;
  // The first of several reads that find the connection lost opens the new one.
  if (slot.opening === opening) slot.opening = openOnce(slot, open);
  return slot.opening ?? connectionOf(slot, open);
}

function openOnce(slot: Slot, open: () => Promise<PostgresConnection>): Promise<PostgresConnection> {
  return open().catch((error: unknown) => {
    slot.opening = undefined;
    throw new ReadUnavailable(`the database cannot be reached: ${postgresErrorMessage(error)}`);
  });
}

async function readOn(
  connection: PostgresConnection,
  { sql, args, options: { plan } }: PendingRead,
  locked: LockMarker,
): Promise<ReadResult> {
  const [reply] = await connection.send([{ sql, args, plan }]);
  if (reply === undefined) return { fault: 'no answer' };
  if ('rows' in reply) return reply;
  const { fault } = reply;
  switch (fault.is) {
    case 'refused':
    case 'unreadable':
      throw new ReadFailed(fault.message);
    case 'slow':
      locked.markLocked(sql);
      throw new ReadUnavailable(fault.message);
    // No statement precedes a read, therefore the session has lost its prepared statements.
    case 'follows':
      connection.destroy();
      return { fault: 'the session has lost its prepared statements' };
    case 'transient':
      if (fault.reconnect) connection.destroy();
      return { fault: fault.message };
    case 'lost':
      connection.destroy();
      return { fault: fault.message };
  }
}
