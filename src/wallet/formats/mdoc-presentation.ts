import { createPublicKey, type KeyObject } from 'node:crypto';
import { PresentationFailure } from '../failure-reason.ts';
import { arrayIn, bytesIn, decodeCbor, embedCbor, embeddedBytes, encodeCbor, mapIn, textIn } from './cbor.ts';
import { isCoseSignatureValid, readCoseSign1 } from './cose-signature.ts';
import { checkIssuerSigned } from './issuer-signed.ts';
import { presentationLimits } from './presentation-limits.ts';
import type { ExpectedPresentation, PresentedCredential } from './presented-credential.ts';
import { sessionTranscriptOf } from './session-transcript.ts';

/**
 * Checks a device response with one document, in base64url (OpenID4VP 1.0, appendix B.2; ISO 18013-5, section 9.1): the issuer's signature,
 * digests and validity, and the signature of the holder's device over this session. Throws a `PresentationFailure`.
 */
export async function checkMdocPresentation(
  base64url: string,
  expected: ExpectedPresentation,
): Promise<PresentedCredential> {
  if (base64url.length > presentationLimits.characters || !/^[\w-]+$/.test(base64url))
    throw new PresentationFailure('credential-malformed');
  const document = onlyDocumentOf(mapIn(decodeCbor(Buffer.from(base64url, 'base64url'))));
  const { deviceKey, ...credential } = checkIssuerSigned(document.get('issuerSigned'), expected.now);
  // The issuer does not sign this document type. It signs the one in `credential`.
  if (textIn(document.get('docType')) !== credential.type) throw new PresentationFailure('credential-malformed');
  requireDeviceSignature(document.get('deviceSigned'), readDeviceKey(deviceKey), {
    transcript: sessionTranscriptOf(expected),
    type: credential.type,
  });
  return credential;
}

function onlyDocumentOf(response: ReadonlyMap<unknown, unknown>): ReadonlyMap<unknown, unknown> {
  const documents = arrayIn(response.get('documents'));
  const isComplete = response.get('status') === 0 && documents.length === 1;
  if (!isComplete || !textIn(response.get('version')).startsWith('1.'))
    throw new PresentationFailure('credential-malformed');
  return mapIn(documents[0]);
}

/** Elements that the device signs itself are covered by the signature, and not read: only the issuer attests. */
function requireDeviceSignature(
  value: unknown,
  key: KeyObject,
  session: { readonly transcript: readonly unknown[]; readonly type: string },
): void {
  if (value === undefined) throw new PresentationFailure('holder-binding-missing');
  const deviceSigned = mapIn(value);
  const signature = mapIn(deviceSigned.get('deviceAuth')).get('deviceSignature');
  if (signature === undefined) throw new PresentationFailure('holder-binding-missing');
  const nameSpaces = embedCbor(embeddedBytes(deviceSigned.get('nameSpaces')));
  const authentication = ['DeviceAuthentication', session.transcript, session.type, nameSpaces];
  const payload = encodeCbor(embedCbor(encodeCbor(authentication)));
  if (!isCoseSignatureValid(readCoseSign1(signature), payload, key))
    throw new PresentationFailure('holder-binding-signature');
}

/** A COSE key (RFC 9053, section 7.1.1) on the curve P-256. */
function readDeviceKey(value: unknown): KeyObject {
  if (value === undefined) throw new PresentationFailure('holder-binding-missing');
  const key = mapIn(value);
  if (key.get(1) !== 2 || key.get(-1) !== 1) throw new PresentationFailure('credential-malformed');
  const [x, y] = [-2, -3].map((label) => Buffer.from(bytesIn(key.get(label))).toString('base64url'));
  try {
    return createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
  } catch {
    throw new PresentationFailure('credential-malformed');
  }
}
