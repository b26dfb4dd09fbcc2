import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { hmacString } from '../kernel/hashing.ts';

/** Nonces for DPoP proofs (RFC 9449, section 8). A nonce shows that its proof was made in the last minutes. */
export type DpopNonces = { current(): string; accepts(nonce: string): boolean };

const stepMs = 60_000;

/** Creates nonces as a MAC over the minute: every process with the same key accepts them, each for two to three minutes. */
export function createDpopNonces(key: Uint8Array, clock: Clock): DpopNonces {
  const nonceOf = (step: number) => hmacString(key, `dpop-nonce\0${step}`, 'base64url');
  const now = () => Math.floor(clock.now() / stepMs);
  return {
    current: () => nonceOf(now()),
    accepts(nonce) {
      const received = Buffer.from(nonce);
      // The next minute is accepted too, for a process whose clock is ahead of ours.
      return [now() + 1, now(), now() - 1, now() - 2].some((step) => {
        const expected = Buffer.from(nonceOf(step));
        return expected.length === received.length && timingSafeEqual(expected, received);
      });
    },
  };
}
