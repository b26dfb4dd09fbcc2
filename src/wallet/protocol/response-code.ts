import { timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from '../../kernel/clock.ts';
import { sha256 } from '../../kernel/hashing.ts';
import { drawNumericCode } from '../../kernel/numeric-code.ts';
import type { Device, PresentationTerms, SessionCode } from './presentation.ts';
import { createHandle } from './wallet-handle.ts';

/**
 * The code that proves that the wallet and the session at the service belong to one person, or undefined if the service asked for no
 * proof. On the device of the session, the wallet returns with 128 random bits (HAIP 1.0, section 5.1). From another device, the
 * citizen types 6 digits. Attack: somebody starts a session and lets another person scan the QR code (session fixation, OpenID4VP
 * issue 705; test/attacks/wallet-sessions.test.ts).
 */
export function createSessionCode(
  device: Device,
  { returnUrl, confirmation }: Pick<PresentationTerms, 'returnUrl' | 'confirmation'>,
  random: RandomBytes,
): SessionCode | undefined {
  if (device === 'same' && returnUrl !== undefined) return { by: 'return', code: createHandle(random) };
  return confirmation === 'code' ? { by: 'citizen', code: drawNumericCode(random) } : undefined;
}

/** The address to which the wallet returns. The code is in the fragment, which browsers do not send to servers or to other sites. */
export function returnAddressOf(returnUrl: string, { code }: SessionCode): string {
  return `${returnUrl}#response_code=${code}`;
}

/** Compares a code in constant time. In a typed code, ignores spaces and accepts the digits of Arabic and Persian keyboards. */
export function isSessionCode({ by, code }: SessionCode, given: string): boolean {
  const plain = by === 'citizen' ? typedDigits(given) : given;
  return timingSafeEqual(sha256(Buffer.from(code)), sha256(Buffer.from(plain)));
}

function typedDigits(text: string): string {
  const latin = text.replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15));
  return latin.replaceAll(/\s/g, '');
}
