import type { Read } from '../db/database.ts';
import { bytesField, idField, integerField } from '../db/row-fields.ts';
import { entryFromRow, storedEntryColumns } from './stored-entry.ts';

/** How far `readLastOfType` and `readWaitingOfType` look back. */
const lastEntries = 500;

/** Creates the reads of the entries of one citizen, who has a chain. */
export function createChainReader(read: Read) {
  return {
    /** The entries of a chain with numbers above `after`. */
    readChain: async (chain: Uint8Array, after: number, limit: number) => {
      const sql = `select ${storedEntryColumns} from ledger_entry where chain = $1 and number > $2 order by number limit $3`;
      return (await read(sql, [chain, after, limit])).map(entryFromRow);
    },
    /** The last entry of a chain in the tree of that size. */
    findLastEntry: async (chain: Uint8Array, size: number) => {
      const sql = `select ${storedEntryColumns} from ledger_entry where chain = $1 and leaf_index < $2 order by number desc limit 1`;
      return (await read(sql, [chain, size])).map(entryFromRow)[0];
    },
    /** The entries of one type among the last entries of a chain, signed or not. */
    readLastOfType: async (chain: Uint8Array, type: string) => {
      const sql = `select ${storedEntryColumns} from ledger_entry where chain = $1 and type = $2
        and number > (select max(number) from ledger_entry where chain = $1) - ${lastEntries}`;
      return (await read(sql, [chain, type])).map(entryFromRow);
    },
    /** The events of one type about the citizen of a chain, among the last events that wait for their number. */
    readWaitingOfType: async (chain: Uint8Array, type: string) => {
      const waiting = await read(
        `select id, type, citizen_tag from ledger_event order by id desc limit ${lastEntries}`,
        [],
      );
      const ids = waiting.filter((row) => row['type'] === type && isSameBytes(row['citizen_tag'], chain));
      const found = await Promise.all(
        ids.map(({ id = null }) => read('select id, content from ledger_event where id = $1', [id])),
      );
      return found.flat().map((row) => ({ id: idField(row, 'id', 'event'), content: bytesField(row, 'content') }));
    },
    /** The numbers of the first and last entry of a chain in a period; undefined if it has none there. */
    findNumbersBetween: async (chain: Uint8Array, from: number, to: number) => {
      const sql =
        'select min(number) as first, max(number) as last from ledger_entry where chain = $1 and at >= $2 and at <= $3';
      const [row] = await read(sql, [chain, from, to]);
      if (row === undefined || row['first'] === null) return undefined;
      return { first: integerField(row, 'first'), last: integerField(row, 'last') };
    },
  };
}

function isSameBytes(value: unknown, bytes: Uint8Array): boolean {
  return value instanceof Uint8Array && Buffer.compare(value, bytes) === 0;
}
