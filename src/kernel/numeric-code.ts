import type { RandomBytes } from './clock.ts';

/** Draws a code of 6 digits. The remainder of 48 random bits by 10^6 favours no code by more than 1 in 200 million. */
export function drawNumericCode(random: RandomBytes): string {
  const randomNumber = Buffer.from(random(6)).readUIntBE(0, 6);
  return String(randomNumber % 1_000_000).padStart(6, '0');
}
