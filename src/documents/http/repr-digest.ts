/** The SHA-256 of a `Repr-Digest` (RFC 9530, section 3); undefined without one, because other digests are not checked. */
export function parseReprDigest(given: string): Uint8Array | undefined {
  const found = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):\s*(?:,|$)/.exec(given)?.[1];
  return found === undefined ? undefined : Buffer.from(found, 'base64');
}

/**
 * Whether a `Want-Repr-Digest` or `Want-Content-Digest` (RFC 9530, section 4) wants SHA-256; undefined if it does not mention
 * it.
 */
export function wantsSha256(header: string | undefined): boolean | undefined {
  const weight = /(?:^|,)\s*sha-256\s*=\s*(\d{1,2})\s*(?:,|$)/.exec(header ?? '')?.[1];
  return weight === undefined ? undefined : Number(weight) > 0;
}

/** The `Repr-Digest` of a document with that SHA-256, also the `digest` of its record. */
export function reprDigest(sha256: Uint8Array): string {
  return `sha-256=:${Buffer.from(sha256).toString('base64')}:`;
}
