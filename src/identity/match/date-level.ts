import { agreesToPrecision } from '../register/birth-date.ts';
import { sameInOtherCalendar } from './calendars.ts';
import type { Level } from './level.ts';
import { editDistance } from './similarity.ts';

/** The level of two dates in the form of `dateForm`. */
export function dateLevel(claimed: string, known: string): Level {
  if (claimed === known) return 'normalised';
  if (agreesToPrecision(claimed, known)) return 'precision';
  const one = claimed.replaceAll('-', '');
  const other = known.replaceAll('-', '');
  // A year or month with one different digit is too common.
  if (one.length !== 8 || other.length !== 8) return 'different';
  if (one === other.slice(0, 4) + other.slice(6) + other.slice(4, 6)) return 'inverted';
  const edits = editDistance(one, other, 2);
  if (edits === 1) return isOneSubstitution(one, other) ? 'similar' : 'close';
  if (sameInOtherCalendar(claimed, known)) return 'similar';
  return edits === 2 ? 'close' : 'different';
}

/** Whether exactly one character differs. */
function isOneSubstitution(one: string, other: string): boolean {
  let differing = 0;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) differing += 1;
  return differing === 1;
}
