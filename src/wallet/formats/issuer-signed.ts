import { hash } from 'node:crypto';
import { PresentationFailure } from '../failure-reason.ts';
import {
  arrayIn,
  bytesIn,
  decodeCbor,
  embedCbor,
  embeddedBytes,
  encodeCbor,
  mapIn,
  plainValueOf,
  textIn,
} from './cbor.ts';
import { isCoseSignatureValid, readCoseSign1 } from './cose-signature.ts';
import { issuerKeyOf } from './issuer-certificates.ts';
import { clockSkewMs } from './presentation-limits.ts';
import { type PresentedCredential, readPresentedStatus } from './presented-credential.ts';

/** The issuer's part of a document, with a valid signature. `deviceKey` is a COSE key, not checked. */
export type IssuerSigned = PresentedCredential & { readonly deviceKey: unknown };

const certificatesLabel = 33;
const digestAlgorithms: ReadonlyMap<unknown, string> = new Map([
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
]);

/**
 * Checks the data that the issuer signed (ISO 18013-5, section 9.1.2): signature, digest of each element, and validity at `now` (epoch ms).
 */
export function checkIssuerSigned(value: unknown, now: number): IssuerSigned {
  const issuerSigned = mapIn(value);
  const signature = readCoseSign1(issuerSigned.get('issuerAuth'));
  const certificates = readCertificates(signature.unprotected.get(certificatesLabel));
  const payload = bytesIn(signature.payload);
  if (!isCoseSignatureValid(signature, payload, issuerKeyOf(certificates)))
    throw new PresentationFailure('credential-signature');
  const securityObject = mapIn(decodeCbor(embeddedBytes(decodeCbor(payload))));
  const attributes = readElements(issuerSigned.get('nameSpaces'), securityObject);
  requireValidity(mapIn(securityObject.get('validityInfo')), now);
  const status = readPresentedStatus(plainValueOf(securityObject.get('status')));
  return {
    format: 'mso_mdoc',
    type: textIn(securityObject.get('docType')),
    attributes,
    certificates,
    ...(status === undefined ? {} : { status }),
    deviceKey: mapIn(securityObject.get('deviceKeyInfo')).get('deviceKey'),
  };
}

/** One certificate is a byte string, more are an array (RFC 9360). */
function readCertificates(value: unknown): readonly Uint8Array[] {
  if (value === undefined) return [];
  return value instanceof Uint8Array ? [value] : arrayIn(value).map(bytesIn);
}

function readElements(
  nameSpaces: unknown,
  securityObject: ReadonlyMap<unknown, unknown>,
): PresentedCredential['attributes'] {
  const algorithm = digestAlgorithms.get(securityObject.get('digestAlgorithm'));
  if (algorithm === undefined) throw new PresentationFailure('credential-malformed');
  const valueDigests = mapIn(securityObject.get('valueDigests'));
  const read = [...mapIn(nameSpaces ?? new Map())].map(([nameSpace, items]) => {
    const digests = valueDigests.get(nameSpace);
    if (digests === undefined) throw new PresentationFailure('digest-mismatch');
    return [textIn(nameSpace), elementsOf(arrayIn(items), mapIn(digests), algorithm)] as const;
  });
  return Object.fromEntries(read);
}

/** The elements of one namespace. Each name may occur once. */
function elementsOf(
  items: readonly unknown[],
  digests: ReadonlyMap<unknown, unknown>,
  algorithm: string,
): Readonly<Record<string, unknown>> {
  const elements = new Map<string, unknown>();
  for (const encoded of items) {
    const itemBytes = embeddedBytes(encoded);
    const item = mapIn(decodeCbor(itemBytes));
    const name = textIn(item.get('elementIdentifier'));
    if (elements.has(name)) throw new PresentationFailure('disclosure-invalid');
    const digest = digests.get(item.get('digestID'));
    if (!(digest instanceof Uint8Array) || !hash(algorithm, encodeCbor(embedCbor(itemBytes)), 'buffer').equals(digest))
      throw new PresentationFailure('digest-mismatch');
    elements.set(name, plainValueOf(item.get('elementValue')));
  }
  return Object.fromEntries(elements);
}

function requireValidity(validity: ReadonlyMap<unknown, unknown>, now: number): void {
  const [from, until] = ['validFrom', 'validUntil'].map((name) => Date.parse(textIn(validity.get(name))));
  if (from === undefined || until === undefined || Number.isNaN(from) || Number.isNaN(until))
    throw new PresentationFailure('credential-malformed');
  if (now < from - clockSkewMs || now > until + clockSkewMs) throw new PresentationFailure('credential-expired');
}
