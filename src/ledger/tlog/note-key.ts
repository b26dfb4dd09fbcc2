import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { ed25519KeyFromSeed } from '../../crypto/signing-key.ts';
import { parseBase64, parseCheckpoint } from './checkpoint.ts';
import { isKeyName, type LogSubtree, type NoteSigner, type NoteVerifier } from './note.ts';

/**
 * The supported signature types of c2sp.org/signed-note and c2sp.org/tlog-cosignature: Ed25519, Ed25519 cosignature, ML-DSA-44
 * cosignature.
 */
export const signatureTypes = { ed25519: 0x01, cosignature: 0x04, mlDsaCosignature: 0x06 } as const;
type SignatureType = (typeof signatureTypes)[keyof typeof signatureTypes];

const publicKeyBytes: Readonly<Record<SignatureType, number>> = { 1: 32, 4: 32, 6: 1_312 };
const signatureBytes: Readonly<Record<SignatureType, number>> = { 1: 64, 4: 72, 6: 2_428 };

const spkiOfEd25519 = Buffer.from('302a300506032b6570032100', 'hex');

function typeOf(byte: number | undefined): SignatureType | undefined {
  return Object.values(signatureTypes).find((type) => type === byte);
}

function keyIdOf(name: string, typed: Uint8Array): string {
  return createHash('sha256').update(`${name}\n`).update(typed).digest('hex').slice(0, 8);
}

/** A public key of a vkey line: `name+id+base64(type ‖ public key)`. */
export type VerifierKey = NoteVerifier & {
  readonly type: SignatureType;
  readonly vkey: string;
  /** Whether these bytes, without a time, sign a subtree; only for key types that can. */
  verifySubtree?(subtree: LogSubtree, signature: Uint8Array): boolean;
};

/** Parses a vkey line. Undefined if it is malformed, its id does not match, or its type is not supported. */
export function parseVkey(vkey: string): VerifierKey | undefined {
  const [, name = '', keyId = '', base64 = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(vkey) ?? [];
  const typed = parseBase64(base64);
  const type = typeOf(typed?.[0]);
  if (typed === undefined || type === undefined || !isKeyName(name)) return undefined;
  if (typed.length !== 1 + publicKeyBytes[type] || keyIdOf(name, typed) !== keyId) return undefined;
  const key = publicKeyOf(type, typed.subarray(1));
  return {
    name,
    keyId,
    type,
    vkey,
    verify: (text, signature) => isSignatureValid({ type, key, name, text }, signature),
    ...(type === signatureTypes.mlDsaCosignature ? { verifySubtree: subtreeVerifier(name, key) } : {}),
  };
}

function subtreeVerifier(name: string, key: KeyObject): NonNullable<VerifierKey['verifySubtree']> {
  return (subtree, signature) => {
    const message = subtreeMessage(name, subtree, 0n);
    const isComplete = signature.length === signatureBytes[signatureTypes.mlDsaCosignature];
    if (message === undefined || !isComplete || cosignatureTime(signature) !== 0n) return false;
    return verify(null, message, key, signature.subarray(8));
  };
}

function publicKeyOf(type: SignatureType, raw: Uint8Array): KeyObject {
  const pub = Buffer.from(raw).toString('base64url');
  return type === signatureTypes.mlDsaCosignature
    ? createPublicKey({ key: { kty: 'AKP', alg: 'ML-DSA-44', pub }, format: 'jwk' })
    : createPublicKey({ key: Buffer.concat([spkiOfEd25519, raw]), format: 'der', type: 'spki' });
}

type SignatureToVerify = {
  readonly type: SignatureType;
  readonly key: KeyObject;
  readonly name: string;
  readonly text: string;
};

function isSignatureValid({ type, key, name, text }: SignatureToVerify, signature: Uint8Array): boolean {
  if (signature.length !== signatureBytes[type]) return false;
  if (type === signatureTypes.ed25519) return verify(null, Buffer.from(text), key, signature);
  const time = cosignatureTime(signature);
  if (time === undefined) return false;
  const message = type === signatureTypes.cosignature ? ed25519Message(text, time) : wholeTreeMessage(name, text, time);
  return message !== undefined && verify(null, message, key, signature.subarray(8));
}

/** The time in seconds at the start of a cosignature (c2sp.org/tlog-cosignature); undefined from 2^63 on. */
export function cosignatureTime(signature: Uint8Array): bigint | undefined {
  if (signature.length < 8) return undefined;
  const time = Buffer.from(signature.buffer, signature.byteOffset, 8).readBigUInt64BE();
  return time < 2n ** 63n ? time : undefined;
}

/** The signed message of an Ed25519 cosignature: header, time, and the whole text of the checkpoint. */
function ed25519Message(text: string, time: bigint): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${time}\n${text}`);
}

/** The signed message of an ML-DSA-44 cosignature of a checkpoint: the whole tree as a subtree. */
function wholeTreeMessage(cosigner: string, text: string, time: bigint): Buffer | undefined {
  const checkpoint = parseCheckpoint(text);
  if (checkpoint === undefined) return undefined;
  const { origin, size: end, root: hash } = checkpoint;
  return subtreeMessage(cosigner, { origin, start: 0, end, hash }, time);
}

/** `cosigned_message` of c2sp.org/tlog-cosignature; undefined if a name exceeds 255 bytes. */
function subtreeMessage(cosigner: string, { origin, start, end, hash }: LogSubtree, time: bigint): Buffer | undefined {
  const [name, log] = [Buffer.from(cosigner), Buffer.from(origin)];
  if (name.length > 255 || log.length > 255) return undefined;
  const parts = [Buffer.from('subtree/v1\n\0'), Buffer.of(name.length), name, uint64(time), Buffer.of(log.length), log];
  return Buffer.concat([...parts, uint64(BigInt(start)), uint64(BigInt(end)), hash]);
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

/** The signing key of a type and name from a seed of 32 bytes (Ed25519: RFC 8032; ML-DSA-44: FIPS 204, algorithm 6). */
export function createNoteSigner(type: SignatureType, name: string, seed: Uint8Array): NoteSigner {
  if (!isKeyName(name)) throw new TypeError('a key name must have no white space and no plus');
  const privateKey = privateKeyOf(type, seed);
  const typed = Buffer.concat([Buffer.of(type), rawPublicKey(privateKey)]);
  const keyId = keyIdOf(name, typed);
  return {
    name,
    keyId,
    vkey: `${name}+${keyId}+${typed.toString('base64')}`,
    sign: (text, nowMs) => {
      if (type === signatureTypes.ed25519) return sign(null, Buffer.from(text), privateKey);
      const time = BigInt(Math.floor(nowMs / 1_000));
      const message =
        type === signatureTypes.cosignature ? ed25519Message(text, time) : wholeTreeMessage(name, text, time);
      if (message === undefined) throw new TypeError('only a checkpoint can be cosigned');
      return Buffer.concat([uint64(time), sign(null, message, privateKey)]);
    },
    ...(type === signatureTypes.mlDsaCosignature ? { signSubtree: subtreeSigner(name, privateKey) } : {}),
  };
}

/** Signs with the time 0, as `sign-subtree` requires: the checkpoint that contains the subtree has a time. */
function subtreeSigner(name: string, privateKey: KeyObject): NonNullable<NoteSigner['signSubtree']> {
  return (subtree) => {
    const message = subtreeMessage(name, subtree, 0n);
    if (message === undefined) throw new TypeError('the name of the log or of the cosigner is too long');
    return Buffer.concat([uint64(0n), sign(null, message, privateKey)]);
  };
}

function privateKeyOf(type: SignatureType, seed: Uint8Array): KeyObject {
  if (type !== signatureTypes.mlDsaCosignature) return ed25519KeyFromSeed(seed);
  // The seed alone determines an ML-DSA key (FIPS 204, section 6.1). A JWK would also need the public key, so the seed is
  // passed as PKCS #8 (RFC 9881, section 6).
  const prefix = Buffer.from('3034020100300b060960864801650304031104228020', 'hex');
  return createPrivateKey({ key: Buffer.concat([prefix, seed]), format: 'der', type: 'pkcs8' });
}

function rawPublicKey(privateKey: KeyObject): Buffer {
  const { x, pub } = createPublicKey(privateKey).export({ format: 'jwk' }) as { x?: string; pub?: string };
  return Buffer.from(x ?? pub ?? '', 'base64url');
}

/**
 * Parses a private key in the format of Go's sumdb/note: `PRIVATE+KEY+name+id+base64(type ‖ seed)`; undefined if it is
 * malformed.
 */
export function parseSignerKey(text: string): NoteSigner | undefined {
  const [, name = '', keyId = '', base64 = ''] = /^PRIVATE\+KEY\+([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text) ?? [];
  const typed = parseBase64(base64);
  const type = typeOf(typed?.[0]);
  if (typed === undefined || type === undefined || typed.length !== 33 || !isKeyName(name)) return undefined;
  const signer = createNoteSigner(type, name, typed.subarray(1));
  return signer.keyId === keyId ? signer : undefined;
}

/** The private key in that format, for the key file of a witness. */
export function formatSignerKey(type: SignatureType, name: string, seed: Uint8Array): string {
  const { keyId } = createNoteSigner(type, name, seed);
  return `PRIVATE+KEY+${name}+${keyId}+${Buffer.concat([Buffer.of(type), seed]).toString('base64')}`;
}
