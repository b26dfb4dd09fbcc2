/** Gives whole numbers from 0 up to, without, `limit`: they look random and are the same in every run. */
export type RandomInteger = (limit: number) => number;

/** The generator called mulberry32: 32 bits of state, enough to pick citizens and fill documents. */
export function seededIntegers(seed: number): RandomInteger {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}
