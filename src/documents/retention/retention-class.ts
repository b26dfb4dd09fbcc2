import type { Read, Row, Statement } from '../../db/database.ts';
import { integerField, integerOrNull, textField } from '../../db/row-fields.ts';
import { maxInstantMs } from '../../kernel/clock.ts';

/** The pattern of the name of a class. */
export const retentionClassNamePattern = '^[a-z0-9][a-z0-9-]{0,63}$';

/** How long documents of a class are kept, in days from their issue; `eraseAfterDays` null: never erased automatically. */
export type RetentionClass = {
  readonly name: string;
  readonly keepDays: number;
  readonly eraseAfterDays: number | null;
  readonly legalBasis: string;
};

const dayMs = 86_400_000;

/**
 * The end of retention and the time of erasure (epoch ms). A longer retention that the issuer requests moves both. Both are
 * limited to the last instant of RFC 3339.
 */
export function retentionDates(
  { keepDays, eraseAfterDays }: RetentionClass,
  issuedAt: number,
  requestedUntil: number | null,
): { readonly retainUntil: number; readonly eraseAt: number | null } {
  const after = (days: number) => Math.min(issuedAt + days * dayMs, maxInstantMs);
  const retainUntil = Math.max(after(keepDays), requestedUntil ?? 0);
  return { retainUntil, eraseAt: eraseAfterDays === null ? null : Math.max(after(eraseAfterDays), retainUntil) };
}

const columns = 'name, keep_days, erase_after_days, legal_basis';

/** The class of that name, or undefined. */
export async function findRetentionClass(read: Read, name: string): Promise<RetentionClass | undefined> {
  return (await read(`select ${columns} from retention_class where name = $1`, [name])).map(classOf)[0];
}

/** All classes, by name. */
export async function allRetentionClasses(read: Read): Promise<RetentionClass[]> {
  return (await read(`select ${columns} from retention_class order by name`)).map(classOf);
}

/** Creates a class, or changes it for later deposits. */
export function upsertRetentionClass(
  { name, keepDays, eraseAfterDays, legalBasis }: RetentionClass,
  now: number,
): Statement {
  return {
    sql: 'insert into retention_class (name, keep_days, erase_after_days, legal_basis, changed_at) values ($1, $2, $3, $4, $5) on conflict (name) do update set keep_days = excluded.keep_days, erase_after_days = excluded.erase_after_days, legal_basis = excluded.legal_basis, changed_at = excluded.changed_at',
    args: [name, keepDays, eraseAfterDays, legalBasis, now],
  };
}

function classOf(row: Row): RetentionClass {
  return {
    name: textField(row, 'name'),
    keepDays: integerField(row, 'keep_days'),
    eraseAfterDays: integerOrNull(row, 'erase_after_days'),
    legalBasis: textField(row, 'legal_basis'),
  };
}
