import { generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import { untrustedIssuer } from './sandbox-issuer.ts';
import type { PidAttributes } from './sandbox-people.ts';
import type { WalletFault } from './wallet-faults.ts';

/** An issuer of credentials: certificates in base64 DER, the leaf first, and its private key as a JWK. */
export type PidIssuer = { readonly chain: readonly string[]; readonly privateKey: JsonWebKey };

/** The path of a claim in DCQL. `null` selects all elements of an array. */
export type DcqlPath = readonly (string | null)[];

/** The credential to issue and present, and the session for which its holder signs. */
export type PidPresentation = {
  readonly attributes: PidAttributes;
  /** `vct` or document type. */
  readonly type: string;
  /** The claims that the holder discloses. */
  readonly paths: readonly DcqlPath[];
  readonly issuer: PidIssuer;
  readonly status: StatusReference | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly fault: WalletFault | undefined;
  readonly clientId: string;
  readonly nonce: string;
  readonly responseUri: string;
  /** The SHA-256 thumbprint of the key of the request. */
  readonly keyThumbprint: Uint8Array;
};

/** The place of a credential in a status list (Token Status List, section 6). */
export type StatusReference = { readonly uri: string; readonly idx: number };

/** The certificates to present, and the key that signs. */
export function issuerOf({ issuer, fault }: Pick<PidPresentation, 'issuer' | 'fault'>): PidIssuer {
  if (fault === 'unknown-issuer') return untrustedIssuer;
  return fault === 'credential-signature' ? { ...issuer, privateKey: untrustedIssuer.privateKey } : issuer;
}

/** A credential that expires tomorrow, or did so yesterday. In epoch seconds. */
export function validityOf({ now, fault }: Pick<PidPresentation, 'now' | 'fault'>): {
  readonly from: number;
  readonly until: number;
} {
  const [seconds, day] = [Math.floor(now / 1_000), 86_400];
  return fault === 'expired-credential'
    ? { from: seconds - 2 * day, until: seconds - day }
    : { from: seconds - 60, until: seconds + day };
}

/** The reference to a status list. The fault names a list that no server has. */
export function statusOf({ status, fault }: Pick<PidPresentation, 'status' | 'fault'>): StatusReference | undefined {
  return fault === 'unknown-status' ? { uri: 'https://status.invalid/1', idx: 0 } : status;
}

/** A new key pair of the holder, and the key with which the proof is signed. */
export function newHolder({ fault }: Pick<PidPresentation, 'fault'>): {
  readonly jwk: { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string };
  readonly key: KeyObject;
} {
  const { publicKey, privateKey } = newKeyPair();
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return {
    jwk: { kty: 'EC', crv: 'P-256', x, y },
    key: fault === 'proof-signature' ? newKeyPair().privateKey : privateKey,
  };
}

function newKeyPair() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** A signature with ES256, as R and S of 32 bytes each. */
export function es256(bytes: Uint8Array, key: KeyObject): Buffer {
  return sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' });
}

/** Whether one of the paths selects this value or a part of it. */
export function isSelected(path: readonly string[], paths: readonly DcqlPath[]): boolean {
  return paths.some((selected) => path.every((step, index) => (selected[index] ?? step) === step));
}
