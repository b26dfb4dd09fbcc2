import { createHmac, hash } from 'node:crypto';

/** SHA-256 (FIPS 180-4): 32 bytes. */
export function sha256(message: Uint8Array): Buffer {
  return hash('sha256', message, 'buffer');
}

/** HMAC (RFC 2104) with SHA-256 (32 bytes) or SHA-512 (64 bytes). Text is hashed as UTF-8. */
export function hmac(algorithm: 'sha256' | 'sha512', key: Uint8Array, message: Uint8Array | string): Buffer {
  return createHmac(algorithm, key).update(message).digest();
}

/** HMAC with SHA-256 as text; see `hmac`. */
export function hmacString(key: Uint8Array, message: Uint8Array | string, encoding: 'base64url' | 'hex'): string {
  return createHmac('sha256', key).update(message).digest(encoding);
}
