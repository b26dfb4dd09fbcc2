/** Returns pseudo-random integers from 0 to `limit` - 1, the same in every run. */
export type RandomInteger = (limit: number) => number;

/** The generator mulberry32. Its 32 bits of state are enough to pick citizens and fill documents. */
export function seededIntegers(seed: number): RandomInteger {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}
