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
  /** When somebody first confirmed the receipt by the link in a mail. That needs no sign-in. */
  readonly confirmedAt: number | undefined;
  /** When a letter was handed over for printing and posting. */
  readonly letterAt: number | undefined;
};

/** The names of the days of a week, in the order of `Date.getUTCDay`. */
const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The days that do not count as working days: holidays (`YYYY-MM-DD`) and days of the week, in a time zone (default UTC). */
export type Calendar = {
  readonly holidays: ReadonlySet<string>;
  /** English names; Saturday and Sunday by default. */
  readonly weekend?: readonly string[];
  readonly timeZone?: string;
};

/**
 * How days were counted, so that anyone can repeat the count without the calendar of the server. Counting starts on the day after `from`;
 * the effect is at the end of the last day. `timeZone` is absent for UTC.
 */
type DayCount = { readonly from: string; readonly timeZone?: string } & (
  | { readonly days: number }
  | { readonly workingDays: number; readonly notCounted: { weekdays: readonly string[]; holidays: readonly string[] } }
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

const rulePattern = /^(opened|as-letter|after-(\d{1,2})-(working-)?days)(-or-confirmed)?$/;
const letterDays = 3;

/** The names of the rules, for error messages. */
export const legalRuleRequirement =
  'must be opened, after-N-working-days, after-N-days or as-letter, each with or without -or-confirmed';

/**
 * Whether a text names a rule: `opened`, `after-N-working-days`, `after-N-days` (N from 1 to 99) or `as-letter`. With `-or-confirmed` at
 * its end, a confirmation by the link in a mail counts like opening.
 */
export function isLegalRule(name: string): boolean {
  const match = rulePattern.exec(name);
  return match !== null && Number(match[2] ?? 1) > 0;
}

/** Whether a confirmation by the link in a mail counts under this rule. */
export function confirmationCounts(name: string): boolean {
  return name.endsWith('-or-confirmed');
}

/** Whether a message that is not opened counts as served only after a letter. */
export function needsLetter(name: string): boolean {
  return rulePattern.exec(name)?.[1] === 'as-letter';
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
  if (name === undefined || !needsLetter(name)) return [];
  const planned = requested ?? steps.map(({ channel }) => channel);
  if (planned.includes('letter') && providers.has('letter')) return [];
  const detail = 'as-letter requires a letter, but neither channels nor the policy of this server contain one';
  return [{ in: 'body', pointer: '/legalEffect', code: 'not-allowed', detail }];
}

/** Applies a rule to the facts at the time `now` (epoch ms). An instant in the future has no effect yet. */
export function legalEffectOf(name: string, facts: LegalFacts, calendar: Calendar, now: number): LegalEffect {
  const { openedAt, confirmedAt } = facts;
  const results: (RuleResult | undefined)[] = [
    dueEffectOf(name, facts, calendar),
    openedAt === undefined ? undefined : { at: openedAt, basis: 'the citizen opened the message' },
    confirmedAt === undefined || !confirmationCounts(name)
      ? undefined
      : { at: confirmedAt, basis: 'confirmed by the link in the message' },
  ];
  // The sort is stable: of two results at the same instant, the first in the list counts.
  const [result] = results.filter((one) => one !== undefined).sort((left, right) => left.at - right.at);
  if (result === undefined || result.at > now) return { rule: name, basis: 'not yet' };
  const { at, basis, counting } = result;
  return { rule: name, effectiveAt: formatInstant(at), basis, ...(counting === undefined ? {} : { counting }) };
}

/** The effect of a rule for a citizen who does not open the message. Add a line here for a law with another rule. */
export function dueEffectOf(
  name: string,
  { availableAt, letterAt }: LegalFacts,
  calendar: Calendar,
): RuleResult | undefined {
  // Opening ends the cascade, so the letter may never be sent.
  if (needsLetter(name)) {
    const basis = 'after the letter was handed over';
    return effectAfter(letterAt, { days: letterDays, isWorking: true, basis }, calendar);
  }
  const [, , days, working] = rulePattern.exec(name) ?? [];
  if (days === undefined) return undefined;
  const basis = 'after the message lay in the inbox';
  return effectAfter(availableAt, { days: Number(days), isWorking: working !== undefined, basis }, calendar);
}

type WaitingTime = { readonly days: number; readonly isWorking: boolean; readonly basis: string };

/** The end of the n-th day after the day of an instant. Working days exclude weekends and holidays. */
function effectAfter(
  from: number | undefined,
  { days, isWorking, basis }: WaitingTime,
  { holidays, weekend = ['Saturday', 'Sunday'], timeZone = 'UTC' }: Calendar,
): RuleResult | undefined {
  if (from === undefined) return undefined;
  const skippedHolidays: string[] = [];
  let day = localDateAt(timeZone, from);
  for (let left = days; left > 0; ) {
    day = nextDate(day);
    if (isWorking && weekend.includes(weekdayNames[new Date(day).getUTCDay()] ?? '')) continue;
    if (isWorking && holidays.has(day)) skippedHolidays.push(day);
    else left -= 1;
  }
  const head = { from: formatInstant(from), ...(timeZone === 'UTC' ? {} : { timeZone }) };
  const notCounted = { weekdays: weekend, holidays: skippedHolidays };
  return {
    at: endOfLocalDate(timeZone, day),
    basis: `${days} ${isWorking ? 'working days' : 'days'} ${basis}`,
    counting: isWorking ? { ...head, workingDays: days, notCounted } : { ...head, days },
  };
}

/** A notice for the operator when the calendar has no holiday of this year; undefined otherwise. */
export function calendarNotice({ holidays }: Calendar, now: number): string | undefined {
  const year = formatInstant(now).slice(0, 4);
  if (holidays.size === 0 || [...holidays].some((day) => day.startsWith(year))) return undefined;
  return `HOLIDAYS has no day of ${year}: all its weekdays count as working days for legal effect`;
}
