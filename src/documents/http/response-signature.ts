/** A published P-256 key; `sign` returns R ‖ S of 64 bytes (ES256). */
export type ResponseSigner = { readonly keyId: string; sign(base: string): Uint8Array };

const coveredComponents = [
  'content-type',
  'content-length',
  'content-range',
  'etag',
  'repr-digest',
  'content-digest',
  'cache-control',
  'link',
  'date',
] as const;

/**
 * Adds a signature over the response (RFC 9421, `ecdsa-p256-sha256`): it proves with the published keys that this server
 * delivered this document. It also sets `date`, which is signed.
 */
export function signResponseHeaders(
  signer: ResponseSigner | undefined,
  { status, headers, now }: { status: number; headers: Readonly<Record<string, string>>; now: number },
): Record<string, string> {
  if (signer === undefined) return { ...headers };
  const dated: Record<string, string> = { ...headers, date: new Date(now).toUTCString() };
  const covered = coveredComponents.filter((name) => dated[name] !== undefined);
  const list = ['@status', ...covered].map((name) => `"${name}"`).join(' ');
  const lines = [`"@status": ${status}`, ...covered.map((name) => `"${name}": ${dated[name]?.trim()}`)];
  const parameters = `(${list});created=${Math.floor(now / 1_000)};keyid="${signer.keyId}";alg="ecdsa-p256-sha256"`;
  const signature = signer.sign([...lines, `"@signature-params": ${parameters}`].join('\n'));
  return {
    ...dated,
    'signature-input': `document=${parameters}`,
    signature: `document=:${Buffer.from(signature).toString('base64')}:`,
  };
}
