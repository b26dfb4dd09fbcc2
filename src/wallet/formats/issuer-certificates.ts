import { type KeyObject, X509Certificate } from 'node:crypto';
import { PresentationFailure } from '../failure-reason.ts';
import { presentationLimits } from './presentation-limits.ts';

/**
 * The public key of the first certificate (DER). The caller verifies the signature of the credential with it. The chain to a trust anchor
 * is checked later, with the same certificates.
 */
export function issuerKeyOf(certificates: readonly Uint8Array[]): KeyObject {
  const [first] = certificates;
  if (first === undefined) throw new PresentationFailure('issuer-not-trusted');
  if (certificates.length > presentationLimits.certificates) throw new PresentationFailure('credential-malformed');
  try {
    return new X509Certificate(first).publicKey;
  } catch {
    throw new PresentationFailure('credential-malformed');
  }
}
