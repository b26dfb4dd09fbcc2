import type { Read, Row } from '../../db/database.ts';
import { integerField, textField, textOrNull } from '../../db/row-fields.ts';
import { minIdAt } from '../../kernel/id.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import { pseudonymInErasedId } from '../../ledger/erased-id.ts';
import { storedDecisionOf } from './verification-store.ts';

/** The decisions of one client's verifications. */
export type ClientUsage = {
  readonly clientId: string;
  readonly questions: number;
  readonly match: number;
  readonly noMatch: number;
  readonly notDetermined: number;
  /** Results that cannot be read because the citizen was erased. */
  readonly erased: number;
  /** Verifications without an id. */
  readonly searches: number;
  /** Verifications with an id that the embedded register does not have now. */
  readonly unknownIds: number;
};

type VerificationUsageDeps = {
  readonly read: Read;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'earlierKeyOf'>;
  /** `from` is included, `until` is not (epoch ms). */
  readonly span: { readonly from: number; readonly until: number };
  /** Called after each page with the number of verifications counted until then. */
  readonly onPage?: (questions: number) => void;
};

/** Results that are opened without a pause: between two pages a running server answers requests. */
const pageRows = 100;
/** The time in an id may differ from the time in the row: clocks drift and are corrected. */
const clockSkewMs = 3_600_000;

/**
 * Counts the decisions of stored results by client. Deleted results are not counted. Decisions are stored only inside sealed results, so
 * each result is opened; only these counts leave.
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
      `select v.id, v.client_id, v.citizen_id, v.is_search, v.checked_at, v.sealed_result, c.citizen_id as known
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
      const isSearch = row['is_search'] === true;
      count.questions += 1;
      count[decision === undefined ? 'erased' : counterOf[decision]] += 1;
      if (isSearch) count.searches += 1;
      else if (row['known'] === null && !isErasedId(row)) count.unknownIds += 1;
      questions += 1;
    }
    onPage?.(questions);
    if (rows.length < pageRows) break;
  }
  return [...counts.values()].sort(
    (one, other) => other.noMatch - one.noMatch || (one.clientId < other.clientId ? -1 : 1),
  );
}

/** The citizen was in the register: only the id was replaced. */
function isErasedId(row: Row): boolean {
  const citizenId = textOrNull(row, 'citizen_id');
  return citizenId !== null && pseudonymInErasedId(citizenId) !== undefined;
}

const counterOf = { match: 'match', no_match: 'noMatch', not_determined: 'notDetermined' } as const;
