import { ageOf, type Clock } from '../kernel/clock.ts';
import type { Mint } from '../kernel/id.ts';
import { remembering } from '../kernel/recent.ts';
import type { Commit } from '../ledger/commit.ts';
import type { Actor } from '../ledger/event.ts';
import type { Read } from '../store/db.ts';
import { textField, wholeField } from '../store/row-fields.ts';
import type { ImportProgress } from './import/import-progress.ts';
import { comparable } from './match/comparable.ts';
import {
  createTally,
  type FrequencyTable,
  type FrequencyTables,
  type FrequentClaim,
  frequenciesFrom,
  frequentClaims,
} from './match/frequencies.ts';
import { type Frequencies, frequencyForm } from './match/model.ts';

/** What counting works on. */
export type CountingHouse = {
  readonly read: Read;
  readonly commit: Commit;
  readonly mint: Mint;
  readonly clock: Clock;
};

const pageRows = 1_000;
const columnOf = {
  givenName: 'given_name',
  familyName: 'family_name',
  postalCode: 'postal_code',
  locality: 'locality',
} as const;

/**
 * Counts how often names, postal codes and towns are in the register, page by page so that a running server is not held
 * up, and keeps the most frequent. Gives how many persons there are.
 */
export async function countRegister({ read, commit, mint, clock }: CountingHouse, actor: Actor): Promise<number> {
  const tally = createTally();
  const counted = frequentClaims.map((claim) => ({ claim, column: columnOf[claim], formOf: createFormOf(claim) }));
  const sql = `select citizen_id, ${Object.values(columnOf).join(', ')} from citizen
    where citizen_id > $1 order by citizen_id limit $2`;
  let persons = 0;
  for (let after = ''; ; ) {
    const rows = await read(sql, [after, pageRows]);
    for (const row of rows) {
      for (const { claim, column, formOf } of counted) {
        const value = row[column];
        if (typeof value === 'string') tally.add(claim, formOf(value));
      }
    }
    persons += rows.length;
    if (rows.length < pageRows) break;
    after = String(rows.at(-1)?.['citizen_id']);
    // The embedded database answers at once: whoever else waits has a turn between two pages.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  const now = clock.now();
  await commit({
    events: [{ type: 'register.counted', id: mint('event'), at: now, actor, persons }],
    statements: Object.entries(tally.tables()).map(([claim, table]) => ({
      sql: `insert into register_frequency (claim, persons, counted_at, document) values ($1, $2, $3, $4)
        on conflict (claim) do update set persons = excluded.persons, counted_at = excluded.counted_at,
          document = excluded.document`,
      args: [claim, persons, now, JSON.stringify(table)],
    })),
  });
  return persons;
}

/** So many values of a claim at least are kept with their forms: most persons share theirs with others. */
const keptForms = 4_096;

function createFormOf(claim: FrequentClaim): (value: string) => string {
  return remembering(keptForms, (value) => frequencyForm(comparable(claim, value)));
}

/**
 * Whether an import changed the register enough to count it anew: a twentieth of it. What an earlier run of the same import
 * stored, which was stopped before it could count, is counted with it.
 */
export async function needsCount(
  read: Read,
  {
    progress,
    readBefore,
  }: { readonly progress: Pick<ImportProgress, 'read' | 'startedAt'>; readonly readBefore: number },
): Promise<boolean> {
  const [row] = await read('select persons, counted_at from register_frequency order by claim limit 1');
  if (row === undefined) return progress.read > 0;
  const rows = wholeField(row, 'counted_at') <= progress.startedAt ? progress.read : progress.read - readBefore;
  return rows > 0 && rows * 20 >= wholeField(row, 'persons');
}

/** What was counted last. */
export async function readFrequencies(read: Read): Promise<Frequencies | undefined> {
  const rows = await read('select claim, document from register_frequency');
  const tables: FrequencyTables = Object.fromEntries(
    // Written by `countRegister` and by nothing else.
    rows.map((row) => [textField(row, 'claim'), JSON.parse(textField(row, 'document')) as FrequencyTable]),
  );
  return frequenciesFrom(tables);
}

/** What was counted, in memory; read again behind a question when it is older than that. */
export async function createFrequencyView(
  read: Read,
  clock: Clock,
  olderThanMs: number,
): Promise<() => Frequencies | undefined> {
  let frequencies = await readFrequencies(read);
  let readAt = clock.now();
  return () => {
    if (ageOf(readAt, clock) > olderThanMs) {
      readAt = clock.now();
      readFrequencies(read).then(
        (fresh) => {
          frequencies = fresh;
        },
        // What was counted before serves until the next time.
        () => undefined,
      );
    }
    return frequencies;
  };
}
