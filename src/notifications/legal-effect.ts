import { toInstant } from '../kernel/clock.ts';

/** What the rules look at: instants in epoch ms. */
export type LegalFacts = {
  readonly acceptedAt: number;
  /** When the message first lay where the citizen can open it. */
  readonly availableAt: number | undefined;
  readonly openedAt: number | undefined;
  /** When a letter was handed over to be printed and posted. */
  readonly letterAt: number | undefined;
};

/** Which days count: Saturdays, Sundays and these (`YYYY-MM-DD`) do not. */
export type Calendar = { readonly holidays: ReadonlySet<string> };

/** When a notification counts as served, and why; without `effectiveAt` it does not yet. */
export type LegalEffect = { readonly rule: string; readonly effectiveAt?: string; readonly basis: string };

type Rule = (
  facts: LegalFacts,
  calendar: Calendar,
  days: number,
) => { readonly at: number | undefined; readonly basis: string };

const dayMs = 86_400_000;

/** The rules, by name. A law that knows another one adds a line here. */
const rules: Readonly<Record<string, Rule>> = {
  opened: ({ openedAt }) => ({ at: openedAt, basis: 'the citizen opened the message' }),
  'after-working-days': ({ openedAt, availableAt }, calendar, days) => {
    const due = availableAt === undefined ? undefined : afterWorkingDays(availableAt, days, calendar);
    return openedAt !== undefined && (due === undefined || openedAt < due)
      ? { at: openedAt, basis: 'the citizen opened the message' }
      : { at: due, basis: `${days} working days after the message lay in the inbox` };
  },
  'as-letter': ({ letterAt }, calendar, days) => ({
    at: letterAt === undefined ? undefined : afterWorkingDays(letterAt, days, calendar),
    basis: `${days} working days after the letter was handed over`,
  }),
};

const pattern = /^(opened|as-letter|after-(\d{1,2})-working-days)$/;
const letterDays = 3;

/** Whether this is the name of a rule: `opened`, `after-N-working-days`, `as-letter`. */
export function isLegalRule(name: string): boolean {
  const match = pattern.exec(name);
  return match !== null && Number(match[2] ?? 1) > 0;
}

/** What a rule says of these facts at that time: an instant that is still to come is no effect yet. */
export function legalEffectOf(name: string, facts: LegalFacts, calendar: Calendar, now: number): LegalEffect {
  const match = pattern.exec(name);
  const days = match?.[2] === undefined ? letterDays : Number(match[2]);
  const rule = rules[match?.[2] === undefined ? name : 'after-working-days'];
  const result = rule?.(facts, calendar, days);
  if (result?.at === undefined || result.at > now) return { rule: name, basis: 'not yet' };
  return { rule: name, effectiveAt: toInstant(result.at), basis: result.basis };
}

/** The end of the n-th working day (UTC) after the day of that instant. */
function afterWorkingDays(from: number, days: number, { holidays }: Calendar): number {
  let day = Math.floor(from / dayMs) * dayMs;
  for (let left = days; left > 0; ) {
    day += dayMs;
    const weekday = new Date(day).getUTCDay();
    if (weekday !== 0 && weekday !== 6 && !holidays.has(toInstant(day).slice(0, 10))) left -= 1;
  }
  return day + dayMs;
}
