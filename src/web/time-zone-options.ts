import { memoize } from '../kernel/lru-cache.ts';
import type { OptionGroup, SelectOption } from './form-parts.ts';

/** The country of the register (ISO 3166-1) and the time zone of the operator. */
export type ZoneDefaults = { readonly country: string | undefined; readonly timeZone: string };

/** Zones had other names in the past. A constant date, so that a page has the same names in every process. */
const namedAt = Date.UTC(2026, 0, 1);

const zonesOf = (country: string): readonly string[] => new Intl.Locale(`und-${country}`).getTimeZones?.() ?? [];

/** The name of a time zone in a language, with its city, such as `Western European Time (Lisbon)`. */
export function timeZoneName(language: string, zone: string): string {
  const city = zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone;
  const name = zoneNameOf(language, zone);
  return name === city || name === '' ? city : `${name} (${city})`;
}

function zoneNameOf(language: string, zone: string): string {
  try {
    const format = new Intl.DateTimeFormat(language, { timeZone: zone, timeZoneName: 'longGeneric' });
    return format.formatToParts(namedAt).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  } catch (fault) {
    // A client of the API may have set a zone that this version of Node.js does not know.
    if (fault instanceof RangeError) return '';
    throw fault;
  }
}

/**
 * The choice of time zones: the zone of the operator and those of the country first, then one zone for each name in the language
 * of the page. There are 420 zones, and most of them differ only in their past.
 */
export function timeZoneOptions(
  language: string,
  { country, timeZone }: ZoneDefaults,
  otherLabel: string,
): readonly (SelectOption | OptionGroup)[] {
  const own = [...new Set([timeZone, ...(country === undefined ? [] : zonesOf(country))])];
  const first = own.map((zone): SelectOption => [zone, timeZoneName(language, zone)]);
  const others = otherZones(language).filter(([zone]) => !own.includes(zone));
  const label = country === undefined ? undefined : new Intl.DisplayNames([language], { type: 'region' }).of(country);
  return [...(label === undefined ? first : [{ label, options: first }]), { label: otherLabel, options: others }];
}

/** Reading the names of all zones takes 0.1 s. */
const otherZones = memoize(16, (language): readonly SelectOption[] => {
  const byName = new Map<string, string>();
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const name = zoneNameOf(language, zone);
    if (!byName.has(name)) byName.set(name, zone);
  }
  const named = [...byName.values()].map((zone): SelectOption => [zone, timeZoneName(language, zone)]);
  return named.sort(([, one], [, other]) => one.localeCompare(other, language));
});
