import { setImmediate as aTurn } from 'node:timers/promises';
import { ReadUnavailable, type Row, type SqlValue } from '../database.ts';
import { createLockedTables, type LockedTables } from './locked-tables.ts';
import { createLookupMerger, type PendingRead } from './merge-lookups.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { postgresErrorMessage } from './postgres-fault.ts';

/** The connections for reads: each carries many reads at once in its pipeline. */
export type ReadPool = {
  read(sql: string, args: readonly SqlValue[] | undefined): Promise<Row[]>;
  close(): Promise<void>;
};

/**
 * Lookups by a key have connections of their own, on which no plan goes through a whole table: the server keeps the plan of a
 * prepared statement, and one that was made while the table was small would stay until its statistics are renewed.
 */
const connectionCounts = { lookups: 2, others: 3, probes: 1 } as const;
// Without JIT: where a small table has no index on the key, an older server takes its only plan for a dear one.
const lookupSetup = 'set enable_seqscan = off; set jit = off';
const triesPerRead = 3;
/** So many reads at most wait for each other on one connection while another has none. */
const maxReadsPerConnection = 16;

type Slot = { opening: Promise<PostgresConnection> | undefined; waiting: number };
type ReadResult = { readonly rows: Row[] } | { readonly fault: string };

/** Opens a connection for reads, with more of a setup than they all have. */
export type OpenReadConnection = (setup: string) => Promise<PostgresConnection>;
type ReadGroup = { readonly slots: readonly Slot[]; readonly open: () => Promise<PostgresConnection> };

/** Readers over connections that are made when needed, and made anew after a loss. A lost read is read again. */
export function createReadPool(open: OpenReadConnection): ReadPool {
  const lookups = createGroup(connectionCounts.lookups, () => open(lookupSetup));
  const others = createGroup(connectionCounts.others, () => open(''));
  const probes = createGroup(connectionCounts.probes, () => open(''));
  const locked = createLockedTables();
  const mergeLookups = createLookupMerger();
  let pendingReads: PendingRead[] = [];

  // The reads of one turn of the event loop leave together, in one write and for one wake-up of the server.
  function flush(): void {
    const joined = mergeLookups(pendingReads);
    pendingReads = [];
    sendReads(lookups, joined.lookups);
    sendReads(others, joined.others);
  }

  function sendReads(group: ReadGroup, all: readonly PendingRead[]): void {
    const statements = locked.isEmpty() ? all : all.filter(({ sql }) => !locked.includesAny([sql]));
    if (statements !== all) for (const one of all) if (!statements.includes(one)) sendLockedRead(group, one);
    for (let from = 0; from < statements.length; from += maxReadsPerConnection) {
      const slot = leastBusy(group);
      for (const one of statements.slice(from, from + maxReadsPerConnection)) {
        readWithRetries(group, slot, one).then(one.resolve, (fault: unknown) => rejectOrSplit(group, one, fault));
      }
    }
  }

  function sendLockedRead(group: ReadGroup, one: PendingRead): void {
    const by = (way: ReadGroup) => () => readWithRetries(way, leastBusy(way), one);
    const ways = { probe: by(probes), usual: by(group), fault: unavailableTable };
    locked.probeOrWait([one.sql], ways).then(one.resolve, (fault: unknown) => rejectOrSplit(group, one, fault));
  }

  /** What fails of several is asked one by one: a row that cannot be read fails nobody but who asked for it. */
  function rejectOrSplit(group: ReadGroup, one: PendingRead, fault: unknown): void {
    if (one.parts === undefined || fault instanceof ReadUnavailable) one.reject(fault);
    else sendReads(group, one.parts);
  }

  async function readWithRetries(group: ReadGroup, slot: Slot, { sql, args }: PendingRead): Promise<Row[]> {
    let result = await readOnce(group, slot, { sql, args });
    for (let tries = 1; tries < triesPerRead && 'fault' in result; tries += 1) {
      result = await readOnce(group, leastBusy(group), { sql, args });
    }
    if ('fault' in result) throw new ReadUnavailable(`the database does not answer: ${result.fault}`);
    return result.rows;
  }

  async function readOnce(
    { open }: ReadGroup,
    slot: Slot,
    { sql, args }: Pick<PendingRead, 'sql' | 'args'>,
  ): Promise<ReadResult> {
    slot.waiting += 1;
    try {
      return await readOn(await connectionOf(slot, open), { sql, args, locked });
    } finally {
      slot.waiting -= 1;
    }
  }

  return {
    read: (sql, args) =>
      new Promise((resolve, reject) => {
        pendingReads.push({ sql, args, resolve, reject });
        if (pendingReads.length === 1) setImmediate(flush);
      }),
    close: async () => {
      // What was asked before leaves first: behind the end of a connection it would open another.
      await aTurn();
      const opened = await Promise.allSettled(
        [lookups, others, probes].flatMap(({ slots }) => slots).map(({ opening }) => opening),
      );
      for (const slot of opened) {
        if (slot.status === 'fulfilled' && slot.value?.usable) await slot.value.close();
      }
    },
  };
}

function unavailableTable(table: string): ReadUnavailable {
  return new ReadUnavailable(`another session has locked ${table}, and a read has just waited for it in vain`);
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
  // Of several reads that find the connection lost, the first makes the new one.
  if (slot.opening === opening) slot.opening = openOnce(slot, open);
  return slot.opening ?? connectionOf(slot, open);
}

function openOnce(slot: Slot, open: () => Promise<PostgresConnection>): Promise<PostgresConnection> {
  return open().catch((error: unknown) => {
    slot.opening = undefined;
    throw new ReadUnavailable(`the database cannot be reached: ${postgresErrorMessage(error)}`);
  });
}

type ReadRequest = Pick<PendingRead, 'sql' | 'args'> & { readonly locked: Pick<LockedTables, 'markLocked'> };

async function readOn(connection: PostgresConnection, { sql, args, locked }: ReadRequest): Promise<ReadResult> {
  const [reply] = await connection.send([args === undefined ? { sql } : { sql, args }]);
  if (reply === undefined) return { fault: 'no answer' };
  if ('rows' in reply) return reply;
  const { fault } = reply;
  switch (fault.is) {
    case 'refused':
    case 'unreadable':
      throw new Error(`read failed: ${fault.message}`);
    case 'slow':
      locked.markLocked(sql);
      throw new ReadUnavailable(fault.message);
    // A read follows nothing: the session has lost what was prepared in it.
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
