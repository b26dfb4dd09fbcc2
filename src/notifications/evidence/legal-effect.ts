import { formatInstant } from '../../kernel/clock.ts';
import { endOfLocalDate, localDateAt, nextDate } from '../../kernel/local-date.ts';
import type { Issue } from '../../kernel/refusal.ts';
import type { CascadePolicy } from '../cascade/cascade.ts';
import type { ChannelName } from '../notification/notification.ts';

/** The facts from which the rules derive the legal effect (epoch ms). */
export type LegalFacts = {
  /** When the citizen could first open the message. */
  readonly availableAt: number | undefined;
  readonly openedAt: number | undefined;
  /** When a letter was handed over for printing and posting. */
  readonly letterAt: number | undefined;
};

/** The days that do not count as working days besides Saturdays and Sundays (`YYYY-MM-DD`), in a time zone (default UTC). */
export type Calendar = { readonly holidays: ReadonlySet<string>; readonly timeZone?: string };

/** How days were counted, so that anyone can repeat the count without the calendar of the server. */
export type DayCount = {
  /** Counting starts on the day after this instant; the effect is at the end of the last day. */
  readonly from: string;
  /** The time zone of the days, if it is not UTC. */
  readonly timeZone?: string;
} & (
  | {
      readonly workingDays: number;
      readonly notCounted: { readonly weekdays: readonly string[]; readonly holidays: readonly string[] };
    }
  | { readonly days: number }
);

/** When a notification counts as served, and why. Without `effectiveAt` it does not count as served yet. */
export type LegalEffect = {
  readonly rule: string;
  readonly effectiveAt?: string;
  readonly basis: string;
  readonly counting?: DayCount;
};

/** The instant that a rule derives, in the past or future (epoch ms). */
type RuleResult = { readonly at: number; readonly basis: string; readonly counting?: DayCount };

type LegalRule = (facts: LegalFacts, calendar: Calendar, days: number) => RuleResult | undefined;

/** The rules by name. Add a line here for a law with another rule. */
const legalRules: Readonly<Record<string, LegalRule>> = {
  opened: ({ openedAt }) => effectOnOpening(openedAt),
  'after-working-days': ({ openedAt, availableAt }, calendar, days) =>
    earlierOf(effectOnOpening(openedAt), effectAfterWorkingDays(availableAt, days, calendar, afterInbox)),
  'after-days': ({ openedAt, availableAt }, calendar, days) =>
    earlierOf(effectOnOpening(openedAt), effectAfterDays(availableAt, days, calendar)),
  // Opening ends the cascade, so the letter may never be sent.
  'as-letter': ({ openedAt, letterAt }, calendar, days) =>
    earlierOf(
      effectOnOpening(openedAt),
      effectAfterWorkingDays(letterAt, days, calendar, 'after the letter was handed over'),
    ),
};

const rulePattern = /^(opened|as-letter|after-(\d{1,2})-(working-)?days)$/;
const letterDays = 3;

/** Whether a text names a rule: `opened`, `after-N-working-days`, `after-N-days` (N from 1 to 99) or `as-letter`. */
export function isLegalRule(name: string): boolean {
  const match = rulePattern.exec(name);
  return match !== null && Number(match[2] ?? 1) > 0;
}

/**
 * The issues of a rule for a notification with the requested channels, or those of the policy: `as-letter` needs a letter and a provider
 * of letters. Every other rule needs the inbox only, which is always there.
 */
export function legalRuleIssues(
  name: string | undefined,
  requested: readonly ChannelName[] | undefined,
  { steps, providers }: CascadePolicy,
): Issue[] {
  if (name !== 'as-letter') return [];
  const planned = requested ?? steps.map(({ channel }) => channel);
  if (planned.includes('letter') && providers.has('letter')) return [];
  const detail = 'as-letter needs a letter: none is planned by channels or by the policy of this server';
  return [{ in: 'body', pointer: '/legalEffect', code: 'not-allowed', detail }];
}

/** Applies a rule to the facts at the time `now` (epoch ms). An instant in the future has no effect yet. */
export function legalEffectOf(name: string, facts: LegalFacts, calendar: Calendar, now: number): LegalEffect {
  const match = rulePattern.exec(name);
  const days = match?.[2] === undefined ? letterDays : Number(match[2]);
  const rule = legalRules[match?.[2] === undefined ? name : `after-${match[3] ?? ''}days`];
  const result = rule?.(facts, calendar, days);
  if (result === undefined || result.at > now) return { rule: name, basis: 'not yet' };
  const { at, basis, counting } = result;
  return { rule: name, effectiveAt: formatInstant(at), basis, ...(counting === undefined ? {} : { counting }) };
}

/** A notice for the operator when the calendar has no holiday of this year; undefined otherwise. */
export function calendarNotice({ holidays }: Calendar, now: number): string | undefined {
  const year = formatInstant(now).slice(0, 4);
  if (holidays.size === 0 || [...holidays].some((day) => day.startsWith(year))) return undefined;
  return `HOLIDAYS has no day of ${year}: every weekday of it counts as a working day for legal effect`;
}

function effectOnOpening(openedAt: number | undefined): RuleResult | undefined {
  return openedAt === undefined ? undefined : { at: openedAt, basis: 'the citizen opened the message' };
}

function earlierOf(opened: RuleResult | undefined, due: RuleResult | undefined): RuleResult | undefined {
  if (opened === undefined || due === undefined) return opened ?? due;
  return opened.at < due.at ? opened : due;
}

const afterInbox = 'after the message lay in the inbox';

/** The end of the n-th working day after the day of an instant, with the holidays that were skipped. */
function effectAfterWorkingDays(
  from: number | undefined,
  days: number,
  { holidays, timeZone = 'UTC' }: Calendar,
  basis: string,
): RuleResult | undefined {
  if (from === undefined) return undefined;
  const skippedHolidays: string[] = [];
  let day = localDateAt(timeZone, from);
  for (let left = days; left > 0; ) {
    day = nextDate(day);
    const weekday = new Date(day).getUTCDay();
    if (weekday === 0 || weekday === 6) continue;
    if (holidays.has(day)) skippedHolidays.push(day);
    else left -= 1;
  }
  const notCounted = { weekdays: ['Saturday', 'Sunday'], holidays: skippedHolidays };
  const counting = { from: formatInstant(from), workingDays: days, ...zoneOf(timeZone), notCounted };
  return { at: endOfLocalDate(timeZone, day), basis: `${days} working days ${basis}`, counting };
}

/** The end of the n-th day after the day of an instant. */
function effectAfterDays(
  from: number | undefined,
  days: number,
  { timeZone = 'UTC' }: Calendar,
): RuleResult | undefined {
  if (from === undefined) return undefined;
  let day = localDateAt(timeZone, from);
  for (let left = days; left > 0; left -= 1) day = nextDate(day);
  const counting = { from: formatInstant(from), days, ...zoneOf(timeZone) };
  return { at: endOfLocalDate(timeZone, day), basis: `${days} days ${afterInbox}`, counting };
}

const zoneOf = (timeZone: string) => (timeZone === 'UTC' ? {} : { timeZone });
