import type { Read } from '../db/database.ts';
import { textField } from '../db/row-fields.ts';
import { readRowPages } from '../db/row-pages.ts';
import type { CitizenKeys } from './citizen-keys.ts';
import { erasedIdOf, pseudonymInErasedId } from './erased-id.ts';
import { type ErasedList, erasuresMissingIn, type ListedErasure, readErasures } from './erased-list.ts';
import { findWaitingEvents } from './waiting-events.ts';

type RepeatDeps = {
  readonly read: Read;
  readonly citizenKeys: Pick<CitizenKeys, 'pseudonymOf'>;
  readonly erasedList: Pick<ErasedList, 'read'>;
};

/** An erasure that is on the list and not in the database, with the id that the database has for this citizen. */
export type UnfinishedErasure = Pick<ListedErasure, 'keepsRegisterRow'> & { readonly citizenId: string };

/** The erasures to make again, and those of other hosts that the list does not have yet. */
export async function findUnfinishedErasures({
  read,
  citizenKeys,
  erasedList,
}: RepeatDeps): Promise<{ readonly unfinished: UnfinishedErasure[]; readonly unlisted: ListedErasure[] }> {
  const [{ erasures: listed }, stored] = [await erasedList.read(), await readErasures(read)];
  const missing = erasuresMissingIn(stored, listed);
  const ids = await findCitizenIds({ read, citizenKeys }, new Set(missing.map(({ chain }) => chain)));
  const unfinished = missing.map(({ chain, keepsRegisterRow }) => {
    // Where the database knows no id, the erasure is only recorded.
    return { citizenId: ids.get(chain) ?? erasedIdOf(Buffer.from(chain, 'hex')), keepsRegisterRow };
  });
  return { unfinished, unlisted: erasuresMissingIn(listed, stored) };
}

/** The citizen ids in the database that have these pseudonyms. The pseudonym of each id is computed, so this takes a while. */
async function findCitizenIds(
  { read, citizenKeys }: Pick<RepeatDeps, 'read' | 'citizenKeys'>,
  chains: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  if (chains.size === 0) return found;
  for (const table of ['citizen_key', 'citizen']) {
    const sql = `select citizen_id from ${table} where citizen_id > $1 order by citizen_id limit $2`;
    for await (const rows of readRowPages(read, sql, { key: 'citizen_id' })) {
      for (const id of rows.map((row) => textField(row, 'citizen_id'))) {
        if (pseudonymInErasedId(id) !== undefined) continue;
        const chain = Buffer.from(citizenKeys.pseudonymOf(id)).toString('hex');
        if (chains.has(chain)) found.set(chain, id);
      }
    }
  }
  for (const chain of chains) {
    const id = found.get(chain) ?? (await findIdInLedger(read, Buffer.from(chain, 'hex')));
    if (id !== undefined) found.set(chain, id);
  }
  return found;
}

/** The id that events about a citizen name, who may have no key and no row in the register. */
async function findIdInLedger(read: Read, chain: Uint8Array): Promise<string | undefined> {
  const erasedId = erasedIdOf(chain);
  for (const { citizenId } of await findWaitingEvents(read, chain)) {
    if (citizenId !== null && citizenId !== erasedId) return citizenId;
  }
  const sql = 'select citizen_id from ledger_entry where chain = $1 and citizen_id <> $2 limit 1';
  const [row] = await read(sql, [chain, erasedId]);
  return row && textField(row, 'citizen_id');
}
