import { open, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Read } from '../db/database.ts';
import { bytesField, idField } from '../db/row-fields.ts';
import { readRowPages } from '../db/row-pages.ts';
import { syncFolder } from '../db/sync-folder.ts';
import { type EventId, parseId } from '../kernel/id.ts';
import { undefinedIfMissing } from '../kernel/undefined-if-missing.ts';

/** An erasure of one citizen: the pseudonym in the ledger (hex), the `citizen.erased` event, and whether the register row stayed. */
export type ListedErasure = {
  readonly chain: string;
  readonly event: EventId;
  readonly keepsRegisterRow: boolean;
};

/** The last erasure of each citizen, by pseudonym (hex). */
type ErasuresByChain = ReadonlyMap<string, ListedErasure>;

/**
 * The list of erased citizens: a file in `DATA_DIR`, outside of the database, so that the restoration of a database does not
 * take it back. It has pseudonyms, which are keyed hashes of ids, and no id. Each host has its own list, and takes over the
 * erasures in the database (repeat-erasures.ts). Lines are only added.
 */
export type ErasedList = {
  /** The listed erasures, and the number of lines that cannot be read. */
  read(): Promise<{ readonly erasures: ErasuresByChain; readonly damagedLines: number }>;
  /** The size of the list, which grows with each erasure. */
  bytes(): Promise<number>;
  /** Adds erasures. They are synced to disk when it resolves. */
  add(erasures: readonly ListedErasure[]): Promise<void>;
};

/** The name of the list in `DATA_DIR`. */
export const erasedListFileName = 'erased-citizens';

const keptWord = 'register-kept';
const linePattern = new RegExp(`^([0-9a-f]{32}) (evt_\\w{26})( ${keptWord})?$`);

/** Opens the list at `path`, which need not exist. */
export function openErasedList(path: string): ErasedList {
  return {
    read: async () => {
      const lines = ((await undefinedIfMissing(readFile(path, 'utf8'))) ?? '')
        .split('\n')
        .filter((line) => line !== '');
      const erasures = lines.flatMap((line) => parseLine(line) ?? []);
      return { erasures: newestByChain(erasures), damagedLines: lines.length - erasures.length };
    },
    bytes: async () => (await undefinedIfMissing(stat(path)))?.size ?? 0,
    add: async (erasures) => {
      if (erasures.length === 0) return;
      await using file = await open(path, 'a', 0o600);
      // The first line break ends a line that a crash has cut. One write, so that lines of two processes do not mix.
      await file.appendFile(`\n${erasures.map(formatLine).join('\n')}\n`);
      await file.sync();
      await syncFolder(dirname(path));
    },
  };
}

function parseLine(line: string): ListedErasure | undefined {
  const [, chain, id = '', kept] = linePattern.exec(line) ?? [];
  const event = parseId('event', id);
  return chain === undefined || event === undefined
    ? undefined
    : { chain, event, keepsRegisterRow: kept !== undefined };
}

function formatLine({ chain, event, keepsRegisterRow }: ListedErasure): string {
  return `${chain} ${event}${keepsRegisterRow ? ` ${keptWord}` : ''}`;
}

/** The ids of events rise with time. */
function newestByChain(erasures: readonly ListedErasure[]): ErasuresByChain {
  const newest = new Map<string, ListedErasure>();
  for (const erasure of erasures) {
    const other = newest.get(erasure.chain);
    if (other === undefined || other.event < erasure.event) newest.set(erasure.chain, erasure);
  }
  return newest;
}

/** The erasures that a database has on record. */
export async function readErasures(read: Read): Promise<ErasuresByChain> {
  const erasures: ListedErasure[] = [];
  const sql = 'select chain, event_id, register_kept from citizen_erasure where chain > $1 order by chain limit $2';
  for await (const rows of readRowPages(read, sql, { key: 'chain', lowest: new Uint8Array() })) {
    for (const row of rows) {
      erasures.push({
        chain: Buffer.from(bytesField(row, 'chain')).toString('hex'),
        event: idField(row, 'event_id', 'event'),
        keepsRegisterRow: row['register_kept'] === true,
      });
    }
  }
  return newestByChain(erasures);
}

/** The erasures in `erasures` for whose citizen `others` has no erasure, or only an earlier one. */
export function erasuresMissingIn(others: ErasuresByChain, erasures: ErasuresByChain): ListedErasure[] {
  return [...erasures.values()].filter(({ chain, event }) => (others.get(chain)?.event ?? '') < event);
}
