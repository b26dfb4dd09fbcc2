/** Calendars of birth dates in documents that `Intl` supports. The Julian calendar is computed below. */
const calendars = ['islamic-umalqura', 'islamic-civil', 'persian', 'ethiopic', 'buddhist'] as const;

type Formats = readonly Intl.DateTimeFormat[];
let cachedFormats: Formats | undefined;

/** Created on first use, because ICU takes 15 ms. */
function formats(): Formats {
  cachedFormats ??= calendars.map(
    (calendar) =>
      new Intl.DateTimeFormat(`en-u-ca-${calendar}-nu-latn`, {
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        timeZone: 'UTC',
      }),
  );
  return cachedFormats;
}

/** Whether one of the dates is the other in the Hijri, Jalali, Ethiopian, Buddhist or Julian calendar. */
export function sameInOtherCalendar(one: string, other: string): boolean {
  if (one.length !== 10 || other.length !== 10) return false;
  const yearsApart = Math.abs(Number(one.slice(0, 4)) - Number(other.slice(0, 4)));
  // Only these differences of years are possible: 0 to 1, 7 to 8, 543, and 578 to 622.
  if (yearsApart <= 1) return isJulian(one, other) || isJulian(other, one);
  if (yearsApart === 7 || yearsApart === 8) return isEthiopian(one, other) || isEthiopian(other, one);
  const far = yearsApart === 543 || (yearsApart >= 570 && yearsApart <= 623);
  return far && (isInOtherCalendar(one, other) || isInOtherCalendar(other, one));
}

/** Two unrelated birth dates are often seven years apart. The day of the year excludes most of them without a conversion. */
function isEthiopian(ours: string, theirs: string): boolean {
  const [year, month, day] = theirs.split('-').map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const newYear = Date.UTC(year + 7, 8, 11);
  const about = newYear + ((month - 1) * 30 + day - 1) * dayMs;
  return Math.abs(Date.parse(`${ours}T00:00:00Z`) - about) <= 2 * dayMs && isInOtherCalendar(ours, theirs);
}

function isInOtherCalendar(ours: string, theirs: string): boolean {
  const instant = Date.parse(`${ours}T00:00:00Z`);
  if (Number.isNaN(instant)) return false;
  return formats().some((format) => {
    const parts = format.formatToParts(instant);
    const part = (type: string) => parts.find((found) => found.type === type)?.value ?? '';
    const year = part('year') === '' ? part('relatedYear') : part('year');
    return `${year.padStart(4, '0')}-${part('month').padStart(2, '0')}-${part('day').padStart(2, '0')}` === theirs;
  });
}

const dayMs = 86_400_000;

/** Whether `theirs` is `ours` in the Julian calendar, which is 10 to 13 days late since 1582. */
function isJulian(ours: string, theirs: string): boolean {
  const instant = Date.parse(`${ours}T00:00:00Z`);
  if (Number.isNaN(instant) || Number(ours.slice(0, 4)) < 1582) return false;
  // The difference grows with each 29 February that the Gregorian calendar omits.
  const year = Number(theirs.slice(0, 4));
  const century = Math.floor((theirs.slice(5) < '03-01' ? year - 1 : year) / 100);
  const daysLate = century - Math.floor(century / 4) - 2;
  return new Date(instant - daysLate * dayMs).toISOString().slice(0, 10) === theirs;
}
