import { seededRandom } from './test-data.ts';

/** Random choices that are the same for the same seed. */
export type Choices = {
  /** Different for each call: 1, 2, … */
  nextNumber(): number;
  chance(probability: number): boolean;
  /** A number from `from` to below `to`. */
  integer(from: number, to: number): number;
  pick<T>(list: readonly T[]): T;
  /** The index of an entry. Frequencies fall with the index as in registers of names (Zipf and Mandelbrot). */
  rank(size: number, evenness: number): number;
  /** Replaces each `#` with a digit from 1 to 9 and each `@` with a letter. */
  fill(form: string): string;
  /** A day of the year, YYYY-MM-DD. */
  dateIn(year: number): string;
};

/** The choices of this seed. */
export function createChoices(seed: number): Choices {
  const random = seededRandom(seed);
  let count = 0;
  const integer = (from: number, to: number) => from + Math.floor(random() * (to - from));
  const pick = <T>(list: readonly T[]): T => {
    const [found] = list.slice(integer(0, list.length));
    if (found === undefined) throw new RangeError('expected a list with entries');
    return found;
  };
  return {
    nextNumber: () => {
      count += 1;
      return count;
    },
    chance: (probability) => random() < probability,
    integer,
    pick,
    rank: (size, evenness) => {
      const weights = Array.from({ length: size }, (_, rank) => 1 / (rank + evenness));
      let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
      const found = weights.findIndex((weight) => {
        left -= weight;
        return left < 0;
      });
      return Math.max(0, found);
    },
    fill: (form) =>
      form.replace(/#/g, () => String(integer(1, 10))).replace(/@/g, () => pick([...'ABCDEFGHJKLMNPRSTUVWXY'])),
    dateIn: (year) => new Date(Date.UTC(year, 0, integer(1, 366))).toISOString().slice(0, 10),
  };
}
