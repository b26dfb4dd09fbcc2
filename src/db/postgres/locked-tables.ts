import { memoize } from '../../kernel/lru-cache.ts';

/** What is to be done with statements, as far as tables are locked. */
export type LockedTableActions<T> = {
  /** Does it on a connection of its own, where nobody waits behind it. */
  probe(): Promise<T>;
  /** Does it as usual. */
  usual(): Promise<T>;
  /** What whoever waited for somebody else's probe is told when that table is locked still. */
  fault(table: string): Error;
};

/**
 * The tables for which a statement has waited in vain. Another session has locked them (`alter table`, `create index`,
 * `vacuum full`), perhaps for long; what would wait for them too must not hold up the connections that everything goes over.
 * So one asks for all: the first goes by itself, the others wait for what becomes of it, and share that.
 */
export type LockedTables = {
  /** A statement of that text has waited until its time was over. */
  markLocked(sql: string): void;
  isEmpty(): boolean;
  includesAny(texts: readonly string[]): boolean;
  /** For texts that are held. */
  probeOrWait<T>(texts: readonly string[], ways: LockedTableActions<T>): Promise<T>;
};

const maxCachedTexts = 2_000;

export function createLockedTables(): LockedTables {
  const locked = new Set<string>();
  const probing = new Map<string, Promise<void>>();
  let added = 0;
  const tablesIn = memoize(maxCachedTexts, (sql) => [
    ...new Set([...sql.matchAll(/\b(?:into|(?<!do )update|from|join) (\w+)/g)].map(([, table = '']) => table)),
  ]);
  const tablesOf = (texts: readonly string[]) => texts.flatMap(tablesIn);
  const firstLockedTable = (texts: readonly string[]) => tablesOf(texts).find((table) => locked.has(table));

  async function probe<T>(texts: readonly string[], ways: LockedTableActions<T>): Promise<T> {
    const before = added;
    try {
      return await ways.probe();
    } finally {
      if (added === before) for (const table of tablesOf(texts)) locked.delete(table);
    }
  }

  return {
    markLocked: (sql) => {
      added += 1;
      for (const table of tablesIn(sql)) locked.add(table);
    },
    isEmpty: () => locked.size === 0,
    includesAny: (texts) => firstLockedTable(texts) !== undefined,
    probeOrWait: async (texts, ways) => {
      const table = firstLockedTable(texts);
      if (table === undefined) return await ways.usual();
      const other = probing.get(table);
      if (other === undefined) {
        const own = probe(texts, ways);
        const ended = () => void probing.delete(table);
        probing.set(table, own.then(ended, ended));
        return await own;
      }
      await other;
      const stillLocked = firstLockedTable(texts);
      if (stillLocked !== undefined) throw ways.fault(stillLocked);
      return await ways.usual();
    },
  };
}
