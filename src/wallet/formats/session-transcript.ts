import { sha256 } from '../../kernel/hashing.ts';
import { encodeCbor } from './cbor.ts';
import type { ExpectedPresentation } from './presented-credential.ts';

/**
 * The session that a document signs: client identifier, nonce, encryption key and response URI (OpenID4VP 1.0, appendix B.2.6.1). A signature
 * for another session is therefore invalid.
 */
export function sessionTranscriptOf(expected: Omit<ExpectedPresentation, 'now'>): readonly unknown[] {
  const { clientId, nonce, encryptionKeyThumbprint, responseUri } = expected;
  const handoverInfo = encodeCbor([clientId, nonce, encryptionKeyThumbprint, responseUri]);
  return [null, null, ['OpenID4VPHandover', sha256(handoverInfo)]];
}
