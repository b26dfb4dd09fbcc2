import type { ClaimName } from '../register/claims.ts';
import type { Comparable } from './comparable.ts';
import { isSameValue, type Level } from './level.ts';
import { readsAsLatin } from './name-level.ts';

/** How likely a level is for the same person (m) and for two different ones (u). */
export type LevelProbabilities = { readonly m: number; readonly u: number };
export type ClaimProbabilities = { readonly [level in Level]?: LevelProbabilities };

/** What was learned about a kind of register: data, kept with the policy that uses it. */
export type MatchModel = {
  readonly claims: { readonly [claim in ClaimName]?: ClaimProbabilities };
  /** How likely a true person gives both names in each other's field. */
  readonly crossed: number;
  /** The chance that a compared record is the person, before any claim is looked at. */
  readonly prior: number;
};

/** How often values stand in the register, for those claims of which it matters. */
export type Frequencies = {
  /** The share of the register's persons who have this value in that claim; undefined where it was not counted. */
  of(claim: ClaimName, form: string): number | undefined;
  /** How many of them have it; undefined where that is not known, as of a rare value of a large register. */
  count(claim: ClaimName, form: string): number | undefined;
  /** The chance that two persons share a value of that claim. */
  average(claim: ClaimName): number | undefined;
};

/** A frequency counts for more than the average by no more than this, when a value only resembles the registered one. */
const minFrequencyFactor = 0.2;
const maxFrequencyFactor = 8;

/**
 * The weight of one claim in bits (Fellegi and Sunter): log2(m/u). For a value that agrees, its own frequency stands in
 * place of u; for one that resembles, u is moved towards it.
 */
export function claimWeight(model: MatchModel, compared: ComparedClaim, frequencies: Frequencies | undefined): number {
  const { claim, known } = compared;
  // No model has seen former values: they weigh what resembles.
  const level = compared.level === 'former' ? 'similar' : compared.level;
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

/** How often a name that resembles the registered one is itself a name of the register: of the same person, of two. */
const anotherName: LevelProbabilities = { m: 0.05, u: 0.5 };

/**
 * A slip of the pen seldom gives a name that others bear (Maria, Marie), and somebody else's name mostly is one. Where nobody
 * else bears the registered name, the slip may be the register's: then nothing follows from it.
 */
function spellingWeight({ claim, level, claimed, known }: ComparedClaim, frequencies: Frequencies | undefined): number {
  // A short form or a former name is a name, and the person's own.
  if (level !== 'similar' && level !== 'close' && level !== 'near') return 0;
  if (claimed === undefined || known === undefined || frequencies === undefined) return 0;
  const [written, registered] = [claimed.forms[0] ?? '', known.forms[0] ?? ''];
  // Another alphabet spells everybody's name otherwise, and in another order words are what they were.
  if (readsAsLatin(written) !== readsAsLatin(registered) || sameWords(written, registered)) return 0;
  const bearers = frequencies.count(claim, frequencyForm(claimed));
  if (bearers === undefined) return 0;
  if (bearers === 0) return Math.log2((1 - anotherName.m) / (1 - anotherName.u));
  const others = frequencies.count(claim, frequencyForm(known)) ?? 0;
  return others > 1 ? Math.log2(anotherName.m / anotherName.u) : 0;
}

function sameWords(one: string, other: string): boolean {
  return one.split(' ').sort().join(' ') === other.split(' ').sort().join(' ');
}

/** What a level says that the model has not met, by one that it has. */
function substituteProbabilities(
  level: Level,
  { normalised, close }: ClaimProbabilities,
): LevelProbabilities | undefined {
  // An address without its flat is that of everybody in the house.
  if (level === 'shortened') return close;
  if (normalised === undefined) return undefined;
  if (level === 'precision') return { m: normalised.m, u: sameYearProbability };
  return level === 'exact' ? normalised : undefined;
}

/** The chance that two persons were born in one year; registers seldom state less of a date. */
const sameYearProbability = 1 / 80;

/** The form under which a value is counted. */
export function frequencyForm(value: Comparable): string {
  return (value.forms[0] ?? '').replaceAll(' ', '');
}

/** A claim as it was compared, with the registered value that it was held against. */
export type ComparedClaim = {
  readonly claim: ClaimName;
  readonly level: Level;
  readonly known: Comparable | undefined;
  /** What was claimed, where it is a name that was compared letter by letter. */
  readonly claimed?: Comparable | undefined;
};

/** The probability that the claims are about the person of the record, from the sum of the weights in bits. */
export function probabilityOf(weight: number, prior: number): number {
  const odds = (prior / (1 - prior)) * 2 ** weight;
  return odds === Number.POSITIVE_INFINITY ? 1 : odds / (1 + odds);
}
