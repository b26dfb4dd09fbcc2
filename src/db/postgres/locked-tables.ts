/** The functions that `probeOrWait` calls. */
type LockedTableActions<T> = {
  /** Runs the statements on a connection of their own, so that they block no other statement. */
  probe(): Promise<T>;
  /** Runs the statements on the usual connections. */
  usual(): Promise<T>;
  /** The error for callers that waited for the probe of another caller when the table is still locked. */
  fault(table: string): Error;
};

/**
 * The tables on which a statement waited for a lock until its timeout. Another session may hold the lock for long (`alter
 * table`, `create index`, `vacuum full`). Statements on such a table must not block the connections that all others use.
 * Therefore one caller at a time probes the table on a connection of its own, and the others wait for its result.
 */
export type LockedTables = {
  /** A statement with this text waited until its timeout. */
  markLocked(sql: string): void;
  includesAny(texts: readonly string[]): boolean;
  /** Runs statements with these texts: as usual, unless one of their tables is locked. */
  probeOrWait<T>(texts: readonly string[], actions: LockedTableActions<T>): Promise<T>;
};

// A name directly before a parenthesis is a function, such as `unnest`.
const tableName = /\b(?:into|(?<!do |for )update|from|join) (\w+)\b(?!\()/g;

const tablesOf = (texts: readonly string[]) =>
  texts.flatMap((sql) => Array.from(sql.matchAll(tableName), ([, table = '']) => table));

/** Starts with no locked table. One instance serves all writers or all readers of a process. */
export function createLockedTables(): LockedTables {
  const locked = new Set<string>();
  const probes = new Map<string, Promise<void>>();
  let timeouts = 0;
  const firstLockedTable = (texts: readonly string[]) =>
    locked.size === 0 ? undefined : tablesOf(texts).find((table) => locked.has(table));

  async function probe<T>(texts: readonly string[], actions: LockedTableActions<T>): Promise<T> {
    const timeoutsBefore = timeouts;
    try {
      return await actions.probe();
    } finally {
      if (timeouts === timeoutsBefore) for (const table of tablesOf(texts)) locked.delete(table);
    }
  }

  return {
    markLocked: (sql) => {
      timeouts += 1;
      for (const table of tablesOf([sql])) locked.add(table);
    },
    includesAny: (texts) => firstLockedTable(texts) !== undefined,
    probeOrWait: async (texts, actions) => {
      const table = firstLockedTable(texts);
      if (table === undefined) return await actions.usual();
      const current = probes.get(table);
      if (current === undefined) {
        const own = probe(texts, actions);
        const ended = () => void probes.delete(table);
        probes.set(table, own.then(ended, ended));
        return await own;
      }
      await current;
      const stillLocked = firstLockedTable(texts);
      if (stillLocked !== undefined) throw actions.fault(stillLocked);
      return await actions.usual();
    },
  };
}
