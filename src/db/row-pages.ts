import type { Read, Row, SqlValue } from './database.ts';

/** The column of the key, a value below each key, and the most rows of a page. */
type PageOptions = { readonly key: string; readonly lowest?: SqlValue; readonly pageRows?: number };

/**
 * Reads all rows of a query in pages, because one large result would block the requests of this process. `sql` returns at most $2 rows
 * whose key is above $1, in the order of their keys. The last page may be empty.
 */
export async function* readRowPages(
  read: Read,
  sql: string,
  { key, lowest = '', pageRows = 1_000 }: PageOptions,
): AsyncGenerator<readonly Row[]> {
  for (let after = lowest; ; ) {
    const rows = await read(sql, [after, pageRows]);
    yield rows;
    const last = rows.at(-1)?.[key];
    if (last === undefined || rows.length < pageRows) return;
    after = last;
  }
}
