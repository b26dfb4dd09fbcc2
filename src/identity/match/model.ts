import type { ClaimName } from '../register/claims.ts';
import type { Comparable } from './comparable.ts';
import { isSameValue, type Level } from './level.ts';

/** The probability of a level for the same person (m) and for two different people (u). */
type LevelProbabilities = { readonly m: number; readonly u: number };
/** The probabilities of one claim by level. */
export type ClaimProbabilities = { readonly [level in Level]?: LevelProbabilities };

/** The parameters that were estimated from a register. */
export type MatchModel = {
  readonly claims: { readonly [claim in ClaimName]?: ClaimProbabilities };
  /** The probability that a person enters given and family name in the wrong fields. */
  readonly crossed: number;
  /** The probability that a candidate is the person, before any claim is compared. */
  readonly prior: number;
};

/** The frequency of values in the register, for the counted claims. */
export type Frequencies = {
  /** The share of people with this value; undefined if the claim was not counted. */
  of(claim: ClaimName, form: string): number | undefined;
  /** The number of people with this value; undefined if unknown, as for a rare value of a large register. */
  count(claim: ClaimName, form: string): number | undefined;
  /** The probability that two people share a value of the claim. */
  average(claim: ClaimName): number | undefined;
};

/** Limits the effect of a frequency for a value that is only similar to the registered one. */
const minFrequencyFactor = 0.2;
const maxFrequencyFactor = 8;

/**
 * The weight of one claim in bits: log2(m/u) (Fellegi and Sunter). If the value agrees, its frequency replaces u; if it is similar, u is
 * adjusted towards the frequency.
 */
export function claimWeight(model: MatchModel, compared: ComparedClaim, frequencies: Frequencies | undefined): number {
  const { claim, known } = compared;
  const level = countedAsSimilar.has(compared.level) ? 'similar' : compared.level;
  if (level === 'missing') return 0;
  const chances = model.claims[claim];
  if (chances === undefined) return 0;
  const chance = chances[level] ?? substituteProbabilities(level, chances) ?? chances.different;
  if (chance === undefined) return 0;
  const frequency = known === undefined ? undefined : frequencies?.of(claim, frequencyForm(known));
  const average = frequencies?.average(claim);
  if (frequency === undefined || average === undefined || average === 0) return Math.log2(chance.m / chance.u);
  if (isSameValue(level)) return Math.log2(chance.m / frequency);
  if (level === 'different') return Math.log2(chance.m / chance.u);
  const unlike = chance.u * Math.min(maxFrequencyFactor, Math.max(minFrequencyFactor, frequency / average));
  return Math.log2(chance.m / unlike) + spellingWeight(compared, frequencies);
}

/** Models have no parameters for these levels. */
const countedAsSimilar: ReadonlySet<Level> = new Set(['former', 'transliterated']);

/** The probability that a name similar to the registered one is itself in the register: for the same person, and for two. */
const anotherName: LevelProbabilities = { m: 0.05, u: 0.5 };

/**
 * A typing error rarely gives the name of another person (Maria, Marie), but the name of another person usually is in the register. If no
 * other person has the registered name, the error may be in the register, so the weight is 0.
 */
function spellingWeight({ claim, level, claimed, known }: ComparedClaim, frequencies: Frequencies | undefined): number {
  // Short forms, transliterations and former names are names of the person.
  if (level !== 'similar' && level !== 'close' && level !== 'near') return 0;
  if (claimed === undefined || known === undefined || frequencies === undefined) return 0;
  const written = claimed.forms[0] ?? '';
  const registered = known.forms[0] ?? '';
  // Another word order is not a typing error.
  if (sameWords(written, registered)) return 0;
  const bearers = frequencies.count(claim, frequencyForm(claimed));
  if (bearers === undefined) return 0;
  if (bearers === 0) return Math.log2((1 - anotherName.m) / (1 - anotherName.u));
  const others = frequencies.count(claim, frequencyForm(known)) ?? 0;
  return others > 1 ? Math.log2(anotherName.m / anotherName.u) : 0;
}

function sameWords(one: string, other: string): boolean {
  return one.split(' ').sort().join(' ') === other.split(' ').sort().join(' ');
}

/** Probabilities for a level that the model has no parameters for. */
function substituteProbabilities(
  level: Level,
  { normalised, close }: ClaimProbabilities,
): LevelProbabilities | undefined {
  // All people in a building share the address without the flat.
  if (level === 'shortened') return close;
  if (normalised === undefined) return undefined;
  if (level === 'precision') return { m: normalised.m, u: sameYearProbability };
  return level === 'exact' ? normalised : undefined;
}

/** The probability that two people were born in the same year. Registers rarely have less precise dates. */
const sameYearProbability = 1 / 80;

/** The form of a value in frequency tables. */
export function frequencyForm(value: Comparable): string {
  return (value.forms[0] ?? '').replaceAll(' ', '');
}

type ComparedClaim = {
  readonly claim: ClaimName;
  readonly level: Level;
  readonly known: Comparable | undefined;
  /** The claimed value; only for names that were compared by their letters. */
  readonly claimed?: Comparable | undefined;
};

/** The probability that the claims are about the person of the record, from the sum of the weights in bits. */
export function probabilityOf(weight: number, prior: number): number {
  const odds = (prior / (1 - prior)) * 2 ** weight;
  return odds === Number.POSITIVE_INFINITY ? 1 : odds / (1 + odds);
}
