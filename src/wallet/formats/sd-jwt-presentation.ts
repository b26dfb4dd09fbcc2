import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { compactVerify } from 'jose/jws/compact/verify';
import { sha256 } from '../../kernel/hashing.ts';
import { isObject } from '../../kernel/is-object.ts';
import { type FailureReason, PresentationFailure } from '../failure-reason.ts';
import { issuerKeyOf } from './issuer-certificates.ts';
import { clockSkewMs, presentationLimits } from './presentation-limits.ts';
import { type ExpectedPresentation, type PresentedCredential, readPresentedStatus } from './presented-credential.ts';
import { resolveDisclosures } from './sd-jwt-disclosures.ts';

/** A proof of possession of the holder is at most this old. */
const maxProofAgeMs = 300_000;
/** The claims that an issuer must not make selectively disclosable (SD-JWT VC, section 3.2.2.2). */
const alwaysDisclosed = ['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status'];

type JsonObject = Record<string, unknown>;

/**
 * Checks an SD-JWT VC with key binding (RFC 9901, section 7.3; SD-JWT VC, section 3.5): the issuer's signature by the first certificate of
 * `x5c`, all disclosures, validity, and the holder's signature over this session. Throws a `PresentationFailure`.
 */
export async function checkSdJwtPresentation(
  text: string,
  expected: ExpectedPresentation,
): Promise<PresentedCredential> {
  if (text.length > presentationLimits.characters) throw new PresentationFailure('credential-malformed');
  const certificates = readCertificates(text);
  return { ...(await checkSdJwtSignedBy(issuerKeyOf(certificates), text, expected)), certificates };
}

/** The same check with a known key of the issuer. `checkSdJwtPresentation` takes the key from a certificate. */
export async function checkSdJwtSignedBy(
  issuerKey: KeyObject,
  text: string,
  expected: ExpectedPresentation,
): Promise<Omit<PresentedCredential, 'certificates'>> {
  const [issuerJwt = '', ...disclosures] = text.split('~', presentationLimits.disclosures + 3);
  const proof = disclosures.pop();
  const payload = await verifiedPayload(issuerJwt, issuerKey, { typ: 'dc+sd-jwt', reason: 'credential-signature' });
  const attributes = resolveDisclosures(payload, disclosures);
  if (alwaysDisclosed.some((name) => Object.hasOwn(attributes, name) && !Object.hasOwn(payload, name)))
    throw new PresentationFailure('disclosure-invalid');
  if (proof === undefined || proof === '') throw new PresentationFailure('holder-binding-missing');
  const binding = await verifiedPayload(proof, readHolderKey(payload['cnf']), {
    typ: 'kb+jwt',
    reason: 'holder-binding-signature',
  });
  requireBinding(binding, text.slice(0, text.length - proof.length), expected);
  requireValidity(payload, expected.now);
  const type = payload['vct'];
  if (typeof type !== 'string') throw new PresentationFailure('credential-malformed');
  const status = readPresentedStatus(payload['status']);
  return { format: 'dc+sd-jwt', type, attributes, ...(status === undefined ? {} : { status }) };
}

/** The certificates (DER) in the header of the issuer's JWT. */
function readCertificates(text: string): readonly Uint8Array[] {
  const chain = malformedIfThrown(() => decodeProtectedHeader(text.split('~', 1)[0] ?? '')).x5c ?? [];
  if (!Array.isArray(chain) || !chain.every((one) => typeof one === 'string'))
    throw new PresentationFailure('credential-malformed');
  return chain.map((one) => Buffer.from(one, 'base64'));
}

/** The payload of a JWT with this type and a valid ES256 signature. Throws `reason` for other types and algorithms too. */
async function verifiedPayload(
  jwt: string,
  key: KeyObject,
  { typ, reason }: { readonly typ: string; readonly reason: FailureReason },
): Promise<JsonObject> {
  let verified: Awaited<ReturnType<typeof compactVerify>>;
  try {
    verified = await compactVerify(jwt, key, { algorithms: ['ES256'] });
  } catch {
    throw new PresentationFailure(reason);
  }
  if (verified.protectedHeader.typ !== typ) throw new PresentationFailure(reason);
  const payload: unknown = malformedIfThrown(() => JSON.parse(Buffer.from(verified.payload).toString()));
  if (!isObject(payload)) throw new PresentationFailure('credential-malformed');
  return payload;
}

/** The public key of the holder (`cnf.jwk`, RFC 7800). Other members of the key do not count. */
function readHolderKey(confirmation: unknown): KeyObject {
  const jwk = isObject(confirmation) ? confirmation['jwk'] : undefined;
  if (!isObject(jwk)) throw new PresentationFailure('holder-binding-missing');
  const { kty, crv, x, y } = jwk;
  if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string')
    throw new PresentationFailure('credential-malformed');
  const key: JsonWebKey = { kty, crv, x, y };
  return malformedIfThrown(() => createPublicKey({ format: 'jwk', key }));
}

/** Checks that the holder signed this presentation for this request, and recently. `presented`: everything before the proof. */
function requireBinding(binding: JsonObject, presented: string, expected: ExpectedPresentation): void {
  const { aud, nonce, iat, sd_hash: digest } = binding;
  if (aud !== expected.clientId) throw new PresentationFailure('audience-mismatch');
  if (nonce !== expected.nonce) throw new PresentationFailure('nonce-mismatch');
  if (digest !== sha256(Buffer.from(presented)).toString('base64url')) throw new PresentationFailure('digest-mismatch');
  const age = typeof iat === 'number' ? expected.now - iat * 1_000 : Number.NaN;
  if (!(age <= maxProofAgeMs && age >= -clockSkewMs)) throw new PresentationFailure('holder-binding-time');
}

/** Checks `exp`, `nbf` and `iat`, if present. */
function requireValidity({ exp, nbf, iat }: JsonObject, now: number): void {
  const until = readTime(exp, Number.POSITIVE_INFINITY);
  const from = Math.max(readTime(nbf, 0), readTime(iat, 0));
  if (now >= until + clockSkewMs || now < from - clockSkewMs) throw new PresentationFailure('credential-expired');
}

function readTime(seconds: unknown, otherwise: number): number {
  if (seconds === undefined) return otherwise;
  if (typeof seconds !== 'number') throw new PresentationFailure('credential-malformed');
  return seconds * 1_000;
}

function malformedIfThrown<Value>(read: () => Value): Value {
  try {
    return read();
  } catch {
    throw new PresentationFailure('credential-malformed');
  }
}
