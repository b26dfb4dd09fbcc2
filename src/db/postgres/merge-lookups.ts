import type { ReadOptions, Row, SqlValue } from '../database.ts';

/** A read that was not sent yet, with the promise of its caller. */
export type PendingRead = {
  readonly sql: string;
  readonly args: readonly PostgresValue[];
  readonly options: ReadOptions;
  /** The reads that were merged into this one. */
  readonly parts?: readonly PendingRead[];
  resolve(rows: Row[]): void;
  reject(error: unknown): void;
};

/** A parameter for PostgreSQL: a value, or an array of values for `unnest` and `any`. */
export type PostgresValue = SqlValue | readonly SqlValue[];

const maxKeys = 32;

/** The lookups of one tick, merged where they have the same text: one statement for many keys. */
export function mergeLookups(reads: readonly PendingRead[]): PendingRead[] {
  const merged: PendingRead[] = [];
  for (const same of Map.groupBy(reads, ({ sql }) => sql).values()) {
    for (let from = 0; from < same.length; from += maxKeys) {
      const part = same.slice(from, from + maxKeys);
      const [first] = part;
      const lookup = first?.options.lookup;
      merged.push(...(lookup === undefined || part.length === 1 ? part : [mergePart(part, lookup)]));
    }
  }
  return merged;
}

function mergePart(parts: readonly PendingRead[], lookup: NonNullable<ReadOptions['lookup']>): PendingRead {
  const keys = parts.map(({ args }) => String(args[0]));
  return {
    sql: lookup.manySql,
    args: [[...new Set(keys)]],
    options: {},
    parts,
    resolve: (rows) => {
      const byKey = Map.groupBy(rows, (row) => row[lookup.key]);
      for (const [index, { resolve }] of parts.entries()) resolve(byKey.get(keys[index] ?? '') ?? []);
    },
    reject: (error) => {
      for (const { reject } of parts) reject(error);
    },
  };
}
