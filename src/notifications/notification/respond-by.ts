import { formatInstant, parseInstant } from '../../kernel/clock.ts';

const dayMs = 86_400_000;
/** The westernmost time zone. A date has ended everywhere at this time after its end in UTC. */
const maxOffsetMs = 12 * 3_600_000;
/** The limit for the deadline of an answer, counted from the time of sending. */
const maxRespondMs = 2 * 366 * dayMs;

/** Why a `respondBy` is not accepted for a message that is sent at `begin` (epoch ms); undefined if it is. */
export function respondByFault(text: string, begin: number): { malformed: boolean; detail: string } | undefined {
  const at = endOfRespondBy(text);
  if (at === undefined)
    return { malformed: true, detail: 'must be a date such as 2026-12-04, or an instant with its offset' };
  if (at <= begin) return { malformed: false, detail: 'must be in the future, and after sendAt' };
  if (at > begin + maxRespondMs) return { malformed: false, detail: 'must be at most two years after sendAt' };
  return undefined;
}

/** The end of a date or the instant itself (epoch ms); undefined for any other text. */
export function endOfRespondBy(text: string): number | undefined {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // `Date` reads June 31 as July 1.
  if (Number.isNaN(midnight) || formatInstant(midnight).slice(0, 10) !== text) return undefined;
  return midnight + dayMs + maxOffsetMs;
}
