import { setImmediate as aTurn } from 'node:timers/promises';
import { ReadUnavailable, type Row, type Value } from './db.ts';
import type { Connection } from './postgres-connection.ts';
import { messageOf } from './postgres-faults.ts';
import { createLockedTables, type LockedTables } from './postgres-locked-tables.ts';
import { type Asked, createJoin } from './postgres-lookups.ts';

/** The connections for reads: each carries many reads at once in its pipeline. */
export type Readers = {
  read(sql: string, args: readonly Value[] | undefined): Promise<Row[]>;
  close(): Promise<void>;
};

/**
 * Lookups by a key have connections of their own, on which no plan goes through a whole table: the server keeps the plan of a
 * prepared statement, and one that was made while the table was small would stay until its statistics are renewed.
 */
const readerCounts = { lookups: 2, others: 3, probes: 1 } as const;
// Without JIT: where a small table has no index on the key, an older server takes its only plan for a dear one.
const lookupSetup = 'set enable_seqscan = off; set jit = off';
const triesPerRead = 3;
/** So many reads at most wait for each other on one connection while another has none. */
const readsTogether = 16;

type Slot = { opening: Promise<Connection> | undefined; waiting: number };
type Attempt = { readonly rows: Row[] } | { readonly fault: string };

/** Opens a connection for reads, with more of a setup than they all have. */
export type OpenReader = (setup: string) => Promise<Connection>;
type Group = { readonly slots: readonly Slot[]; readonly open: () => Promise<Connection> };

/** Readers over connections that are made when needed, and made anew after a loss. A lost read is read again. */
export function createReaders(open: OpenReader): Readers {
  const lookups = createGroup(readerCounts.lookups, () => open(lookupSetup));
  const others = createGroup(readerCounts.others, () => open(''));
  const probes = createGroup(readerCounts.probes, () => open(''));
  const locked = createLockedTables();
  const join = createJoin();
  let asked: Asked[] = [];

  // The reads of one turn of the event loop leave together, in one write and for one wake-up of the server.
  function leave(): void {
    const joined = join(asked);
    asked = [];
    ask(lookups, joined.lookups);
    ask(others, joined.others);
  }

  function ask(group: Group, all: readonly Asked[]): void {
    const statements = locked.isEmpty() ? all : all.filter(({ sql }) => !locked.holds([sql]));
    if (statements !== all) for (const one of all) if (!statements.includes(one)) askForLocked(group, one);
    for (let from = 0; from < statements.length; from += readsTogether) {
      const slot = leastBusy(group);
      for (const one of statements.slice(from, from + readsTogether)) {
        answer(group, slot, one).then(one.resolve, (fault: unknown) => refuse(group, one, fault));
      }
    }
  }

  function askForLocked(group: Group, one: Asked): void {
    const by = (way: Group) => () => answer(way, leastBusy(way), one);
    const ways = { probe: by(probes), usual: by(group), fault: unavailableTable };
    locked.through([one.sql], ways).then(one.resolve, (fault: unknown) => refuse(group, one, fault));
  }

  /** What fails of several is asked one by one: a row that cannot be read fails nobody but who asked for it. */
  function refuse(group: Group, one: Asked, fault: unknown): void {
    if (one.parts === undefined || fault instanceof ReadUnavailable) one.reject(fault);
    else ask(group, one.parts);
  }

  async function answer(group: Group, slot: Slot, { sql, args }: Asked): Promise<Row[]> {
    let result = await attempt(group, slot, { sql, args });
    for (let tries = 1; tries < triesPerRead && 'fault' in result; tries += 1) {
      result = await attempt(group, leastBusy(group), { sql, args });
    }
    if ('fault' in result) throw new ReadUnavailable(`the database does not answer: ${result.fault}`);
    return result.rows;
  }

  async function attempt({ open }: Group, slot: Slot, { sql, args }: Pick<Asked, 'sql' | 'args'>): Promise<Attempt> {
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
        asked.push({ sql, args, resolve, reject });
        if (asked.length === 1) setImmediate(leave);
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

function createGroup(count: number, open: Group['open']): Group {
  return { open, slots: Array.from({ length: count }, () => ({ opening: undefined, waiting: 0 })) };
}

function leastBusy({ slots }: Group): Slot {
  return slots.reduce((least, other) => (other.waiting < least.waiting ? other : least));
}

async function connectionOf(slot: Slot, open: () => Promise<Connection>): Promise<Connection> {
  const opening = slot.opening;
  if (opening !== undefined && (await opening).usable) return opening;
  // Of several reads that find the connection lost, the first makes the new one.
  if (slot.opening === opening) slot.opening = openOnce(slot, open);
  return slot.opening ?? connectionOf(slot, open);
}

function openOnce(slot: Slot, open: () => Promise<Connection>): Promise<Connection> {
  return open().catch((error: unknown) => {
    slot.opening = undefined;
    throw new ReadUnavailable(`the database cannot be reached: ${messageOf(error)}`);
  });
}

type Reading = Pick<Asked, 'sql' | 'args'> & { readonly locked: Pick<LockedTables, 'add'> };

async function readOn(connection: Connection, { sql, args, locked }: Reading): Promise<Attempt> {
  const [reply] = await connection.send([args === undefined ? { sql } : { sql, args }]);
  if (reply === undefined) return { fault: 'no answer' };
  if ('rows' in reply) return reply;
  const { fault } = reply;
  switch (fault.is) {
    case 'refused':
    case 'unreadable':
      throw new Error(`read failed: ${fault.message}`);
    case 'slow':
      locked.add(sql);
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
