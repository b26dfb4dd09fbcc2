/**
 * How a claim compares with what the register holds, best first. `exact`: the same text. `normalised`: the same after
 * accents, case, blanks, hyphens, particles and transliteration. `precision`: dates that say the same as far as the less
 * precise goes. `similar`: what EU 2023/333 calls so (one edit, two words or letters exchanged, a calendar converted, a
 * place renamed). `former`: what the register held before. `inverted`: day and month exchanged. `shortened`: an initial, a word left out, a beginning, a nickname; an address without its flat.
 * `close`, `near`: more differs. `missing`: the register holds nothing.
 */
export const levelNames = [
  'exact',
  'normalised',
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

export type Level = (typeof levelNames)[number];

/** Whether both texts say the same, however they are written. */
export function isSameValue(level: Level | undefined): boolean {
  return level === 'exact' || level === 'normalised';
}

/** Whether the register holds all that was claimed, and perhaps more, as the day of a year. */
export function isConfirmed(level: Level | undefined): boolean {
  return isSameValue(level) || level === 'precision';
}
