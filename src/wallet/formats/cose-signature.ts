import { type KeyObject, verify } from 'node:crypto';
import { arrayIn, bytesIn, decodeCbor, encodeCbor, mapIn } from './cbor.ts';

/** A signature of COSE (RFC 9052, section 4.2). `payload` is null if the payload is not sent. */
export type CoseSign1 = {
  readonly protectedHeader: Uint8Array;
  readonly unprotected: ReadonlyMap<unknown, unknown>;
  readonly payload: Uint8Array | null;
  readonly signature: Uint8Array;
};

/** ES256 (RFC 9053) and ESP256 (RFC 9864): both are ECDSA with P-256 and SHA-256. */
const algorithms: ReadonlySet<unknown> = new Set([-7, -9]);
const [algorithmLabel, criticalLabel] = [1, 2];

/** The parts of a decoded COSE_Sign1 array. */
export function readCoseSign1(value: unknown): CoseSign1 {
  const [protectedHeader, unprotected, payload, signature] = arrayIn(value);
  return {
    protectedHeader: bytesIn(protectedHeader),
    unprotected: mapIn(unprotected),
    payload: payload === null ? null : bytesIn(payload),
    signature: bytesIn(signature),
  };
}

/** Whether this key made the signature over the payload. False for other algorithms and for headers that we must not ignore. */
export function isCoseSignatureValid(sign1: CoseSign1, payload: Uint8Array, key: KeyObject): boolean {
  const header = mapIn(decodeCbor(sign1.protectedHeader));
  if (!algorithms.has(header.get(algorithmLabel)) || header.has(criticalLabel)) return false;
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return false;
  const signed = encodeCbor(['Signature1', sign1.protectedHeader, new Uint8Array(), payload]);
  return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, sign1.signature);
}
