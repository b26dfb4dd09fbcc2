import { setImmediate as aTurn } from 'node:timers/promises';
import { ReadUnavailable, type Row, type Value } from './db.ts';
import type { Connection } from './postgres-connection.ts';
import { messageOf } from './postgres-faults.ts';
import { type Asked, createJoin } from './postgres-lookups.ts';

/** The connections for reads: each carries many reads at once in its pipeline. */
export type Readers = {
  read(sql: string, args: readonly Value[] | undefined): Promise<Row[]>;
  close(): Promise<void>;
};

const readerCount = 4;
const triesPerRead = 3;
/** So many reads at most wait for each other on one connection while another has none. */
const readsTogether = 16;

type Slot = { opening: Promise<Connection> | undefined; waiting: number };
type Attempt = { readonly rows: Row[] } | { readonly fault: string };

/** Readers over connections that are made when needed, and made anew after a loss. A lost read is read again. */
export function createReaders(open: () => Promise<Connection>): Readers {
  const slots: Slot[] = Array.from({ length: readerCount }, () => ({ opening: undefined, waiting: 0 }));
  const join = createJoin();
  const leastBusy = () => slots.reduce((least, other) => (other.waiting < least.waiting ? other : least));
  let asked: Asked[] = [];

  // The reads of one turn of the event loop leave together, in one write and for one wake-up of the server.
  function leave(): void {
    const statements = join(asked);
    asked = [];
    for (let from = 0; from < statements.length; from += readsTogether) {
      const slot = leastBusy();
      for (const one of statements.slice(from, from + readsTogether)) answer(slot, one).catch(one.reject);
    }
  }

  async function answer(slot: Slot, { sql, args, resolve }: Asked): Promise<void> {
    let result = await attempt(slot, sql, args);
    for (let tries = 1; tries < triesPerRead && 'fault' in result; tries += 1) {
      result = await attempt(leastBusy(), sql, args);
    }
    if ('fault' in result) throw new ReadUnavailable(`the database does not answer: ${result.fault}`);
    resolve(result.rows);
  }

  async function attempt(slot: Slot, sql: string, args: readonly Value[] | undefined): Promise<Attempt> {
    slot.waiting += 1;
    try {
      return await readOn(await connectionOf(slot, open), sql, args);
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
      const opened = await Promise.allSettled(slots.map((slot) => slot.opening));
      for (const slot of opened) {
        if (slot.status === 'fulfilled' && slot.value?.usable) await slot.value.close();
      }
    },
  };
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

async function readOn(connection: Connection, sql: string, args: readonly Value[] | undefined): Promise<Attempt> {
  const [reply] = await connection.send([args === undefined ? { sql } : { sql, args }]);
  if (reply === undefined) return { fault: 'no answer' };
  if ('rows' in reply) return reply;
  const { fault } = reply;
  switch (fault.is) {
    case 'refused':
    case 'unreadable':
      throw new Error(`read failed: ${fault.message}`);
    case 'slow':
      throw new ReadUnavailable(fault.message);
    case 'follows':
      return { fault: 'no answer' };
    case 'transient':
      if (fault.reconnect) connection.destroy();
      return { fault: fault.message };
    case 'lost':
      connection.destroy();
      return { fault: fault.message };
  }
}
