/**
 * The similarity of a claim and the registered value, best first. `exact`: the same text. `normalised`: the same apart from accents, case,
 * blanks, hyphens, particles and transliteration. `transliterated`: a name that can be read so from another script, or another usual spelling;
 * other names may share the reading. `precision`: one date or postal code is a less precise form of the other. `similar`: as defined in
 * EU 2023/333 (one edit, two words or letters exchanged, another calendar, a renamed place). `former`: a previous value. `inverted`: day and
 * month exchanged. `shortened`: an initial, prefix or nickname, a missing word; an address without its flat. `close`, `near`: larger
 * differences. `missing`: the register has no value.
 */
export const levelNames = [
  'exact',
  'normalised',
  'transliterated',
  'precision',
  'similar',
  'former',
  'inverted',
  'shortened',
  'close',
  'near',
  'different',
  'missing',
] as const;

/** One of `levelNames`. */
export type Level = (typeof levelNames)[number];

/** Whether the values are the same after normalisation. */
export function isSameValue(level: Level | undefined): boolean {
  return level === 'exact' || level === 'normalised';
}

/** Whether the register confirms the claim, possibly with a more precise date. */
export function isConfirmed(level: Level | undefined): boolean {
  return isSameValue(level) || level === 'precision';
}
