import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { hmacString } from '../kernel/hashing.ts';

/** Nonces for proofs (RFC 9449, section 8): who has one made its proof in the last minutes, and not long before. */
export type DpopNonces = { current(): string; accepts(nonce: string): boolean };

const stepMs = 60_000;

/**
 * Nonces that every process with the same key gives and takes without asking another: a MAC over the minute. One is good
 * for two to three minutes, so that a caller is asked for a new one seldom.
 */
export function createDpopNonces(key: Uint8Array, clock: Clock): DpopNonces {
  const nonceOf = (step: number) => hmacString(key, `dpop-nonce\0${step}`, 'base64url');
  const now = () => Math.floor(clock.now() / stepMs);
  return {
    current: () => nonceOf(now()),
    accepts(nonce) {
      const given = Buffer.from(nonce);
      // The minute ahead is there for a process whose clock runs before ours.
      return [now() + 1, now(), now() - 1, now() - 2].some((step) => {
        const known = Buffer.from(nonceOf(step));
        return known.length === given.length && timingSafeEqual(known, given);
      });
    },
  };
}
