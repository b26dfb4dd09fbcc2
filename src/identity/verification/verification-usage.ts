import type { Read } from '../../db/database.ts';
import { integerField, textField } from '../../db/row-fields.ts';
import { minIdAt } from '../../kernel/id.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import { storedDecisionOf } from './verification-store.ts';

/** How the questions of one client ended. */
export type ClientUsage = {
  readonly clientId: string;
  readonly questions: number;
  readonly match: number;
  readonly noMatch: number;
  readonly notDetermined: number;
  /** Whose answers went with the key of an erased citizen. */
  readonly erased: number;
  /** Those without an id. */
  readonly searches: number;
  /** Those with an id that the embedded register does not have now. */
  readonly unknownIds: number;
};

export type VerificationUsageDeps = {
  readonly read: Read;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'decoyKeyOf'>;
  /** From that instant until before this one, in epoch ms. */
  readonly span: { readonly from: number; readonly until: number };
  /** Told behind each page how many questions were counted. */
  readonly onPage?: (questions: number) => void;
};

/** Opened in one go: a running server answers others between two pages. */
const pageRows = 100;
/** Ids are made by clocks that may be ahead, or be set right. */
const clockSkewMs = 3_600_000;

/**
 * How questions of verification ended, by client, from the answers that are kept: those that are deleted count no more. They are
 * opened for it, one by one, so that no decision about a citizen stands in clear; nothing of them is given out but these figures.
 */
export async function verificationUsageByClient({
  read,
  citizenKeys,
  span,
  onPage,
}: VerificationUsageDeps): Promise<ClientUsage[]> {
  const counts = new Map<string, { -readonly [name in keyof ClientUsage]: ClientUsage[name] }>();
  const end = minIdAt('verification', span.until + clockSkewMs);
  let after = minIdAt('verification', Math.max(0, span.from - clockSkewMs));
  let questions = 0;
  for (;;) {
    const rows = await read(
      `select v.id, v.client_id, v.citizen_id, v.searched, v.checked_at, v.answer, c.citizen_id as known
        from verification v left join citizen c on c.citizen_id = v.citizen_id
        where v.id > $1 and v.id < $2 order by v.id limit ${pageRows}`,
      [after, end],
    );
    for (const row of rows) {
      after = textField(row, 'id');
      const at = integerField(row, 'checked_at');
      if (at < span.from || at >= span.until) continue;
      const clientId = textField(row, 'client_id');
      const none = { questions: 0, match: 0, noMatch: 0, notDetermined: 0, erased: 0, searches: 0, unknownIds: 0 };
      const count = counts.get(clientId) ?? { clientId, ...none };
      counts.set(clientId, count);
      const decision = await storedDecisionOf(row, citizenKeys);
      const isSearch = row['searched'] === true;
      count.questions += 1;
      count[decision === undefined ? 'erased' : counterOf[decision]] += 1;
      if (isSearch) count.searches += 1;
      else if (row['known'] === null) count.unknownIds += 1;
      questions += 1;
    }
    onPage?.(questions);
    if (rows.length < pageRows) break;
  }
  return [...counts.values()].sort(
    (one, other) => other.noMatch - one.noMatch || (one.clientId < other.clientId ? -1 : 1),
  );
}

const counterOf = { match: 'match', no_match: 'noMatch', not_determined: 'notDetermined' } as const;
