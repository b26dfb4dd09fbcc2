import { textHash } from '../../kernel/text-hash.ts';

/** The result of counting: the most frequent values with their counts, the highest first. */
export type ValueCounts = {
  /** The number of added values. */
  readonly total: number;
  /** The probability that two of them are the same. */
  readonly average: number;
  readonly counts: readonly (readonly [value: string, count: number])[];
};

/** A table of 8 MiB. */
const hashBits = 21;
/** Values with these hashes are counted in the second pass. More than are stored, because rare values can share a hash. */
const selectedHashes = 16_000;
const maxHashCount = 2 ** 16;

/**
 * Counts values in limited memory. Up to `maxValues` different values are counted exactly in one pass. With more, the first pass counts
 * hashes only, and a second pass counts the values with the most frequent hashes exactly.
 */
export class ValueCounter {
  readonly #maxValues: number;
  readonly #counts = new Map<string, number>();
  #hashCounts: Uint32Array | undefined;
  /** The least count of a hash whose values are counted; undefined in the first pass. */
  #selectedFrom: number | undefined;

  constructor(maxValues: number) {
    this.#maxValues = maxValues;
  }

  /** The number of values in memory. */
  get size(): number {
    return this.#counts.size;
  }

  add(value: string): void {
    if (this.#hashCounts === undefined) {
      this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
      if (this.#counts.size > this.#maxValues) this.#countHashes();
    } else if (this.#selectedFrom === undefined) {
      addTo(this.#hashCounts, value, 1);
    } else {
      const count = this.#counts.get(value);
      if (count !== undefined || this.#isSelected(value, this.#hashCounts, this.#selectedFrom))
        this.#counts.set(value, (count ?? 0) + 1);
    }
  }

  #isSelected(value: string, hashCounts: Uint32Array, selectedFrom: number): boolean {
    return this.#counts.size < this.#maxValues && (hashCounts[slotOf(value)] ?? 0) >= selectedFrom;
  }

  #countHashes(): void {
    this.#hashCounts = new Uint32Array(2 ** hashBits);
    for (const [value, count] of this.#counts) addTo(this.#hashCounts, value, count);
    this.#counts.clear();
  }

  /** Starts the second pass if there must be one: then the caller adds the same values again. */
  startSecondPass(): boolean {
    if (this.#hashCounts === undefined) return false;
    this.#selectedFrom = leastSelectedCount(this.#hashCounts);
    return true;
  }

  result(): ValueCounts {
    const counts = [...this.#counts].sort(([, one], [, other]) => other - one);
    return {
      counts,
      ...(this.#hashCounts === undefined ? shares(this.#counts.values()) : estimateShares(this.#hashCounts)),
    };
  }
}

function slotOf(value: string): number {
  return textHash(value) >>> (32 - hashBits);
}

function addTo(hashCounts: Uint32Array, value: string, count: number): void {
  const slot = slotOf(value);
  hashCounts[slot] = (hashCounts[slot] ?? 0) + count;
}

/** The largest count that at least `selectedHashes` hashes have, or 1. */
function leastSelectedCount(hashCounts: Uint32Array): number {
  const hashesByCount = new Uint32Array(maxHashCount + 1);
  for (const count of hashCounts) {
    const limited = Math.min(count, maxHashCount);
    hashesByCount[limited] = (hashesByCount[limited] ?? 0) + 1;
  }
  let least = maxHashCount;
  for (let hashes = hashesByCount[least] ?? 0; hashes < selectedHashes && least > 1; ) {
    least -= 1;
    hashes += hashesByCount[least] ?? 0;
  }
  return least;
}

function shares(counts: Iterable<number>): Pick<ValueCounts, 'total' | 'average'> {
  let total = 0;
  let squares = 0;
  for (const count of counts) {
    total += count;
    squares += count ** 2;
  }
  return { total, average: total === 0 ? 0 : squares / total ** 2 };
}

/**
 * The same from counts of hashes. Two different values share one of n hashes with a probability of 1/n, which the average of the hashes
 * contains, so it is subtracted. The standard error of the result is the part sqrt(2/n) of it, 0.1 %.
 */
function estimateShares(hashCounts: Uint32Array): Pick<ValueCounts, 'total' | 'average'> {
  const { total, average } = shares(hashCounts);
  return { total, average: (average - 1 / hashCounts.length) / (1 - 1 / hashCounts.length) };
}
