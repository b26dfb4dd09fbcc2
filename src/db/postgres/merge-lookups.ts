import type { Row, SqlValue } from '../database.ts';

/** A read on its way, with the promise of its caller. */
export type PendingRead = {
  readonly sql: string;
  readonly args: readonly SqlValue[] | undefined;
  /** The reads that this one stands for, where it is several. */
  readonly parts?: readonly PendingRead[];
  resolve(rows: Row[]): void;
  reject(fault: unknown): void;
};

/** A text that looks rows up by one key, taken apart; `shown`: the column of the answer that tells the key. */
type Lookup = { readonly columns: string; readonly table: string; readonly key: string; readonly resultColumn: string };

const lookupText = /^\s*select ([\w\s,]+) from (\w+) where (\w+) = \$1\s*$/;
/** More keys than these go in several statements. */
const maxKeys = 32;
/** The column that tells the key where the caller did not ask for it. */
const addedColumn = 'asked_key';

/** What goes to the server: the lookups by a key, and all other reads as they came. */
export type MergedReads = { readonly lookups: readonly PendingRead[]; readonly others: readonly PendingRead[] };

/**
 * Makes one statement of lookups of one turn that differ in their key alone: `where id = $1` of five callers becomes
 * `where id in ($1, … $8)`, the last key repeated. Both sides spend more on a statement than on the row it looks up.
 */
export function createLookupMerger(): (asked: readonly PendingRead[]) => MergedReads {
  const known = new Map<string, Lookup | undefined>();
  const texts = new Map<string, string>();

  function parseLookup({ sql, args }: PendingRead): Lookup | undefined {
    if (args?.length !== 1 || typeof args[0] !== 'string') return undefined;
    if (!known.has(sql)) known.set(sql, parseLookupText(sql));
    return known.get(sql);
  }

  /** For so many keys; few sizes, since the server prepares each text. */
  function textFor(sql: string, { columns, table, key, resultColumn }: Lookup, size: number): string {
    const name = `${size} ${sql}`;
    let text = texts.get(name);
    if (text === undefined) {
      const places = Array.from({ length: size }, (_, index) => `$${index + 1}`);
      const added = resultColumn === addedColumn ? `, ${key} as ${addedColumn}` : '';
      text = `select ${columns}${added} from ${table} where ${key} in (${places.join(', ')})`;
      texts.set(name, text);
    }
    return text;
  }

  function mergeLookups(sql: string, all: readonly PendingRead[], lookup: Lookup): PendingRead {
    const keys = all.map(({ args }) => String(args?.[0]));
    const size = 2 ** Math.ceil(Math.log2(keys.length));
    const repeated = new Array<string>(size - keys.length).fill(keys.at(-1) ?? '');
    return {
      sql: textFor(sql, lookup, size),
      args: [...keys, ...repeated],
      parts: all,
      resolve: (rows) => {
        const found = Map.groupBy(rows, (row) => row[lookup.resultColumn]);
        for (const [index, one] of all.entries()) {
          const own = found.get(keys[index] ?? '') ?? [];
          one.resolve(lookup.resultColumn === addedColumn ? own.map(withoutAdded) : own);
        }
      },
      reject: (fault) => {
        for (const one of all) one.reject(fault);
      },
    };
  }

  return (asked) => {
    const lookups: PendingRead[] = [];
    const others: PendingRead[] = [];
    const alike = new Map<string, { readonly lookup: Lookup; readonly all: PendingRead[] }>();
    for (const one of asked) {
      const lookup = parseLookup(one);
      const same = alike.get(one.sql);
      if (lookup === undefined) others.push(one);
      else if (same === undefined) alike.set(one.sql, { lookup, all: [one] });
      else same.all.push(one);
    }
    for (const [sql, { lookup, all }] of alike) {
      for (let from = 0; from < all.length; from += maxKeys) {
        const part = all.slice(from, from + maxKeys);
        lookups.push(...(part.length === 1 ? part : [mergeLookups(sql, part, lookup)]));
      }
    }
    return { lookups, others };
  };
}

function parseLookupText(sql: string): Lookup | undefined {
  const [, columns, table, key] = lookupText.exec(sql) ?? [];
  if (columns === undefined || table === undefined || key === undefined) return undefined;
  const names = columns.split(',').map((name) => name.trim());
  return { columns, table, key, resultColumn: names.includes(key) ? key : addedColumn };
}

function withoutAdded(row: Row): Row {
  const { [addedColumn]: _key, ...rest } = row;
  return rest;
}
