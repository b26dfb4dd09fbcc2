import { formatInstant } from '../../kernel/clock.ts';
import { endOfLocalDate, localDateAt, nextDate } from '../../kernel/local-date.ts';
import type { Issue } from '../../kernel/refusal.ts';
import type { CascadePolicy } from '../cascade/cascade.ts';
import type { ChannelName } from '../notification/notification.ts';

/** What the rules look at: instants in epoch ms. */
export type LegalFacts = {
  /** When the message first lay where the citizen can open it. */
  readonly availableAt: number | undefined;
  readonly openedAt: number | undefined;
  /** When a letter was handed over to be printed and posted. */
  readonly letterAt: number | undefined;
};

/** Which days count: Saturdays, Sundays and these (`YYYY-MM-DD`) do not. Days are those of a time zone; of UTC where none is named. */
export type Calendar = { readonly holidays: ReadonlySet<string>; readonly timeZone?: string };

/** How an instant was counted, so that anyone can count again without the calendar of the server. */
export type DayCount = {
  /** The days after that of this instant count; the effect is at the end of the last one. */
  readonly from: string;
  /** Whose days they are, where these are not those of UTC. */
  readonly timeZone?: string;
} & (
  | {
      readonly workingDays: number;
      readonly notCounted: { readonly weekdays: readonly string[]; readonly holidays: readonly string[] };
    }
  | { readonly days: number }
);

/** When a notification counts as served, and why; without `effectiveAt` it does not yet. */
export type LegalEffect = {
  readonly rule: string;
  readonly effectiveAt?: string;
  readonly basis: string;
  readonly counting?: DayCount;
};

/** The instant that a rule comes to, still to come or past; `counting` where days were counted. */
type RuleResult = { readonly at: number; readonly basis: string; readonly counting?: DayCount };

type LegalRule = (facts: LegalFacts, calendar: Calendar, days: number) => RuleResult | undefined;

/** The rules, by name. A law that knows another one adds a line here. */
const legalRules: Readonly<Record<string, LegalRule>> = {
  opened: ({ openedAt }) => effectOnOpening(openedAt),
  'after-working-days': ({ openedAt, availableAt }, calendar, days) =>
    earlierOf(effectOnOpening(openedAt), effectAfterWorkingDays(availableAt, days, calendar, afterInbox)),
  'after-days': ({ openedAt, availableAt }, calendar, days) =>
    earlierOf(effectOnOpening(openedAt), effectAfterDays(availableAt, days, calendar)),
  // Opening ends the cascade, so that the letter may never go.
  'as-letter': ({ openedAt, letterAt }, calendar, days) =>
    earlierOf(
      effectOnOpening(openedAt),
      effectAfterWorkingDays(letterAt, days, calendar, 'after the letter was handed over'),
    ),
};

const rulePattern = /^(opened|as-letter|after-(\d{1,2})-(working-)?days)$/;
const letterDays = 3;

/** Whether this is the name of a rule: `opened`, `after-N-working-days`, `after-N-days`, `as-letter`. */
export function isLegalRule(name: string): boolean {
  const match = rulePattern.exec(name);
  return match !== null && Number(match[2] ?? 1) > 0;
}

/**
 * What is wrong about a rule for a notification with these wanted channels, or with those of the policy: `as-letter` needs
 * a letter, and somebody who prints it. Every other rule is fulfilled by the inbox, which is always there.
 */
export function legalRuleIssues(
  name: string | undefined,
  wanted: readonly ChannelName[] | undefined,
  { steps, providers }: CascadePolicy,
): Issue[] {
  if (name !== 'as-letter') return [];
  const planned = wanted ?? steps.map(({ channel }) => channel);
  if (planned.includes('letter') && providers.has('letter')) return [];
  const detail = 'as-letter needs a letter: none is planned by channels or by the policy of this server';
  return [{ in: 'body', pointer: '/legalEffect', code: 'not-allowed', detail }];
}

/** What a rule says of these facts at that time: an instant that is still to come is no effect yet. */
export function legalEffectOf(name: string, facts: LegalFacts, calendar: Calendar, now: number): LegalEffect {
  const match = rulePattern.exec(name);
  const days = match?.[2] === undefined ? letterDays : Number(match[2]);
  const rule = legalRules[match?.[2] === undefined ? name : `after-${match[3] ?? ''}days`];
  const reached = rule?.(facts, calendar, days);
  if (reached === undefined || reached.at > now) return { rule: name, basis: 'not yet' };
  const { at, basis, counting } = reached;
  return { rule: name, effectiveAt: formatInstant(at), basis, ...(counting === undefined ? {} : { counting }) };
}

/** What an operator has to be told about the holidays; undefined where there is nothing. */
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

/** The end of the n-th working day after the day of that instant, with the days that were passed over. */
function effectAfterWorkingDays(
  from: number | undefined,
  days: number,
  { holidays, timeZone = 'UTC' }: Calendar,
  basis: string,
): RuleResult | undefined {
  if (from === undefined) return undefined;
  const passedOver: string[] = [];
  let day = localDateAt(timeZone, from);
  for (let left = days; left > 0; ) {
    day = nextDate(day);
    const weekday = new Date(day).getUTCDay();
    if (weekday === 0 || weekday === 6) continue;
    if (holidays.has(day)) passedOver.push(day);
    else left -= 1;
  }
  const notCounted = { weekdays: ['Saturday', 'Sunday'], holidays: passedOver };
  const counting = { from: formatInstant(from), workingDays: days, ...zoneOf(timeZone), notCounted };
  return { at: endOfLocalDate(timeZone, day), basis: `${days} working days ${basis}`, counting };
}

/** The end of the n-th day after that of the instant. */
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
