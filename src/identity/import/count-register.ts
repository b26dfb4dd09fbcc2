import { setImmediate as nextTick } from 'node:timers/promises';
import type { Read } from '../../db/database.ts';
import { integerField, textField } from '../../db/row-fields.ts';
import { readRowPages } from '../../db/row-pages.ts';
import { type Clock, elapsedMs } from '../../kernel/clock.ts';
import type { IdGenerator } from '../../kernel/id.ts';
import { memoize } from '../../kernel/lru-cache.ts';
import type { Commit } from '../../ledger/commit.ts';
import type { Actor } from '../../ledger/ledger-event.ts';
import { toComparable } from '../match/comparable.ts';
import {
  type CountedClaim,
  countedClaims,
  createFrequencyCounter,
  type FrequencyCounter,
  type FrequencyTable,
  type FrequencyTables,
  frequenciesFromTables,
} from '../match/frequencies.ts';
import { type Frequencies, frequencyForm } from '../match/model.ts';
import { columnOf } from './import-fields.ts';
import type { ImportProgress } from './import-progress.ts';

type RegisterCountDeps = {
  readonly read: Read;
  readonly commit: Commit;
  readonly createId: IdGenerator;
  readonly clock: Clock;
};

const cachedForms = 4_096;

/**
 * Counts names, postal codes and towns of the register, and stores the frequencies of the most frequent. Reads page by page, so that a
 * running server answers requests meanwhile; a register with many different values is read twice. Returns the number of persons.
 */
export async function countRegister(
  { read, commit, createId, clock }: RegisterCountDeps,
  actor: Actor,
): Promise<number> {
  const tally = createFrequencyCounter();
  const persons = await addPersons(read, tally, countedClaims);
  const again = tally.startSecondPass();
  if (again.length > 0) await addPersons(read, tally, again);
  const now = clock.now();
  await commit({
    events: [{ type: 'register.counted', id: createId('event'), at: now, actor, persons }],
    statements: Object.entries(tally.tables()).map(([claim, table]) => ({
      sql: `insert into register_frequency (claim, persons, counted_at, document) values ($1, $2, $3, $4)
        on conflict (claim) do update set persons = excluded.persons, counted_at = excluded.counted_at,
          document = excluded.document`,
      args: [claim, persons, now, JSON.stringify(table)],
    })),
  });
  return persons;
}

/** Adds the values of all persons, page by page. Returns the number of persons. */
async function addPersons(
  read: Read,
  tally: Pick<FrequencyCounter, 'add'>,
  claims: readonly CountedClaim[],
): Promise<number> {
  const countedColumns = claims.map((claim) => ({
    claim,
    column: columnOf(claim),
    // Most people share their values with others.
    formOf: memoize(cachedForms, (value: string) => frequencyForm(toComparable(claim, value))),
  }));
  const sql = `select citizen_id, ${countedColumns.map(({ column }) => column).join(', ')} from citizen
    where citizen_id > $1 order by citizen_id limit $2`;
  let persons = 0;
  for await (const rows of readRowPages(read, sql, { key: 'citizen_id' })) {
    for (const row of rows) {
      for (const { claim, column, formOf } of countedColumns) {
        const value = row[column];
        if (typeof value === 'string') tally.add(claim, formOf(value));
      }
    }
    persons += rows.length;
    // SQLite may answer without a turn of the event loop.
    await nextTick();
  }
  return persons;
}

/**
 * Whether an import changed at least a twentieth of the register, so that it should be counted again. Rows of an earlier run that stopped
 * before it could count are included.
 */
export async function needsRecount(
  read: Read,
  {
    progress,
    readBefore,
  }: { readonly progress: Pick<ImportProgress, 'read' | 'startedAt'>; readonly readBefore: number },
): Promise<boolean> {
  const [row] = await read('select persons, counted_at from register_frequency order by claim limit 1');
  if (row === undefined) return progress.read > 0;
  const rows = integerField(row, 'counted_at') <= progress.startedAt ? progress.read : progress.read - readBefore;
  return rows > 0 && rows * 20 >= integerField(row, 'persons');
}

/** The frequencies of the last count; undefined if the register was not counted or is too small. */
export async function readFrequencies(read: Read): Promise<Frequencies | undefined> {
  const rows = await read('select claim, document from register_frequency');
  const tables: FrequencyTables = Object.fromEntries(
    // Written by `countRegister` and by nothing else.
    rows.map((row) => [textField(row, 'claim'), JSON.parse(textField(row, 'document')) as FrequencyTable]),
  );
  return frequenciesFromTables(tables);
}

/** The frequencies in memory. A call after `maxAgeMs` starts reading them again, and returns the old ones until then. */
export async function createFrequencyCache(
  read: Read,
  clock: Clock,
  maxAgeMs: number,
): Promise<() => Frequencies | undefined> {
  let frequencies = await readFrequencies(read);
  let readAt = clock.now();
  return () => {
    if (elapsedMs(readAt, clock) > maxAgeMs) {
      readAt = clock.now();
      readFrequencies(read).then(
        (fresh) => {
          frequencies = fresh;
        },
        // The old frequencies stay valid until the next attempt.
        () => undefined,
      );
    }
    return frequencies;
  };
}
