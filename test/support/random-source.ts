/** Numbers and choices that a seed determines, so that a run can be repeated. */
export type RandomSource = {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
  /** Whether an event with this probability happens. */
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
};

/** Creates a source (mulberry32). It is for tests only: the numbers are not random enough for keys. */
export function createRandomSource(seed: number): RandomSource {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)] ?? items[0],
  };
}
