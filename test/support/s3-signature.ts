import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** A request as it was received; header names in lower case, path and query still encoded. */
export type SignedS3Request = {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
};

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: string | Uint8Array, text: string) => createHmac('sha256', key).update(text).digest();

/** Percent-encodes all but letters, digits and `-_.~` (RFC 3986), as Signature Version 4 requires. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * The fault of the AWS Signature Version 4 of an S3 request, or undefined. Written from the specification, not from a client,
 * so that it does not repeat a client's mistakes (test/contract/s3-signature.test.ts has the published examples).
 */
export function findSignatureError(request: SignedS3Request, secret: string, now: number): string | undefined {
  const { headers } = request;
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers['authorization'] ?? '',
    );
  if (parts === null) return 'no signature of version 4';
  const [, , day = '', region = '', signedHeaders = '', signature = ''] = parts;
  const date = headers['x-amz-date'] ?? '';
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(now - at) <= 900_000) || !date.startsWith(day)) return 'the time is not now';
  const names = signedHeaders.split(';');
  const unsigned = Object.keys(headers).filter((name) => /^(host|x-amz-.*)$/.test(name) && !names.includes(name));
  if (unsigned.length > 0) return `not signed: ${unsigned.join(', ')}`;

  const [path = '', query = ''] = request.target.split('?', 2);
  const parameters = [...new URLSearchParams(query)].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const lines = names.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`);
  const payload = headers['x-amz-content-sha256'] ?? '';
  const canonical = [request.method, path, parameters.join('&'), lines.join(''), signedHeaders, payload].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), 's3'), 'aws4_request');
  const right = timingSafeEqual(hmac(key, toSign), Buffer.from(signature, 'hex'));
  return right ? undefined : 'the signature is another';
}

/** Whether the body is the signed one: its SHA-256 is a signed header. */
export function isBodySigned({ headers }: SignedS3Request, body: Uint8Array): boolean {
  return headers['x-amz-content-sha256'] === sha256(body);
}
