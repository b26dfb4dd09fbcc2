import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import type { S3Location } from '../../src/documents/blobs/s3-blobs.ts';
import { Secret } from '../../src/kernel/secret.ts';

type S3rverInstance = {
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
  readonly httpServer: { closeAllConnections(): void };
};
type S3rverClass = new (options: Readonly<Record<string, unknown>>) => S3rverInstance;

/** A multipart upload that is neither completed nor aborted. */
type Upload = { readonly key: string; readonly uploadId: string; readonly initiated: string };

/** An S3 server that is as strict as AWS where the npm server is lenient. */
export type StrictS3Server = {
  readonly place: S3Location;
  readonly uploads: readonly Upload[];
  /** The S3 error codes of rejected requests. */
  readonly refusedCodes: readonly string[];
  /** Answers the next upload with the checksum of other bytes. */
  sendWrongChecksumOnce(): void;
  close(): Promise<void>;
};

const accessKeyId = 'S3RVER';
const secret = 'S3RVER';
const bucket = 'sealed-documents';
const pageUploads = 2;
/** Resolves when no request runs: requests of dead processes are then done, or never will be. */
export const strictS3IdlePath = '/idle';

/**
 * Runs before the npm S3 server over that folder. It verifies each signature and body digest, verifies and echoes checksums,
 * lists multipart uploads in pages, and aborts them. It forwards a request only when it is complete, so that an aborted one
 * changes nothing.
 */
export async function openStrictS3Server(directory: string): Promise<StrictS3Server> {
  const upstream = await openUpstream(directory);
  const uploads: Upload[] = [];
  const refusedCodes: string[] = [];
  const state = { wrong: false };
  const working = new Set<Promise<void>>();
  const server = createServer((incoming, answer) => {
    if (incoming.url === strictS3IdlePath) {
      void Promise.all(working).then(() => answer.end());
      return;
    }
    const work: Promise<void> = serve(incoming, answer)
      .catch(() => void answer.destroy())
      .finally(() => working.delete(work));
    working.add(work);
  });

  async function serve(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = Buffer.concat(await incoming.toArray());
    const fault = findRequestError(incoming, body);
    if (fault !== undefined) {
      refusedCodes.push(fault);
      respondXml(answer, fault === 'BadDigest' ? 400 : 403, `<Error><Code>${fault}</Code></Error>`);
      return;
    }
    const url = new URL(incoming.url ?? '/', 'http://s3');
    if (incoming.method === 'GET' && url.searchParams.has('uploads')) {
      respondXml(answer, 200, listUploadsXml(uploads, url.searchParams));
      return;
    }
    const uploadId = url.searchParams.get('uploadId');
    if (uploadId !== null && !uploads.some((upload) => upload.uploadId === uploadId)) {
      respondXml(answer, 404, '<Error><Code>NoSuchUpload</Code></Error>');
      return;
    }
    // The npm server cannot abort uploads; here an upload that is not in the list does not exist.
    const aborts = incoming.method === 'DELETE' && uploadId !== null;
    const passed = aborts
      ? { status: 204, headers: {}, body: Buffer.alloc(0) }
      : await forwardRequest(upstream.port, incoming, body);
    trackUploads(uploads, { method: incoming.method ?? '', url }, passed);
    const checksum = incoming.headers['x-amz-checksum-crc32'];
    const echoed = checksum === undefined ? {} : { 'x-amz-checksum-crc32': state.wrong ? 'AAAAAA==' : checksum };
    if (checksum !== undefined) state.wrong = false;
    answer.writeHead(passed.status, { ...passed.headers, ...echoed }).end(passed.body);
  }

  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    place: strictS3Place(endpoint),
    uploads,
    refusedCodes,
    sendWrongChecksumOnce: () => {
      state.wrong = true;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await upstream.close();
    },
  };
}

/** The address and access key of the bucket of such a server. */
export function strictS3Place(endpoint: string): S3Location {
  const who = { accessKeyId, secretAccessKey: new Secret(secret) };
  return { bucket, prefix: 'documents/', region: 'eu-central-1', endpoint, ...who };
}

async function openUpstream(directory: string) {
  // The package is CommonJS without types.
  const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as S3rverClass;
  const options = { port: 0, address: '127.0.0.1', silent: true, allowMismatchedSignatures: true, directory };
  const server = new S3rver({ ...options, configureBuckets: [{ name: bucket }] });
  const { port } = await server.run();
  return {
    port,
    close: async () => {
      server.httpServer.closeAllConnections();
      await server.close();
    },
  };
}

function findRequestError({ method = '', url = '', headers }: IncomingMessage, body: Buffer): string | undefined {
  const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]));
  const sent = { method, target: url, headers: flat };
  if (findSignatureError(sent, secret, Date.now()) !== undefined) return 'SignatureDoesNotMatch';
  if (!isBodySigned(sent, body)) return 'XAmzContentSHA256Mismatch';
  const checksum = flat['x-amz-checksum-crc32'];
  return checksum === undefined || checksum === crc32Of(body) ? undefined : 'BadDigest';
}

function crc32Of(body: Buffer): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString('base64');
}

type UpstreamResponse = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

async function forwardRequest(
  port: number,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<UpstreamResponse> {
  const { expect: _expect, connection: _connection, ...forwarded } = headers;
  const sent = request({ host: '127.0.0.1', port, method, path: url, headers: forwarded });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const { 'transfer-encoding': _coding, connection: _own, ...rest } = answer.headers;
  return { status: answer.statusCode ?? 500, headers: rest, body: Buffer.concat(await answer.toArray()) };
}

function trackUploads(
  uploads: Upload[],
  { method, url }: { method: string; url: URL },
  { status, body }: UpstreamResponse,
): void {
  const key = decodeURIComponent(url.pathname).slice(bucket.length + 2);
  const begun = /<UploadId>([^<]+)/.exec(body.toString('latin1'))?.[1];
  if (method === 'POST' && url.searchParams.has('uploads') && begun !== undefined) {
    uploads.push({ key, uploadId: begun, initiated: new Date().toISOString() });
  }
  const ended = url.searchParams.get('uploadId');
  if (ended === null || !['POST', 'DELETE'].includes(method) || status >= 300) return;
  const at = uploads.findIndex(({ uploadId }) => uploadId === ended);
  if (at >= 0) uploads.splice(at, 1);
}

function listUploadsXml(uploads: readonly Upload[], query: URLSearchParams): string {
  const [keyMarker, idMarker] = [query.get('key-marker') ?? '', query.get('upload-id-marker') ?? ''];
  const after = uploads
    .filter(({ key }) => key.startsWith(query.get('prefix') ?? ''))
    .sort((left, right) => (`${left.key} ${left.uploadId}` < `${right.key} ${right.uploadId}` ? -1 : 1))
    .filter(({ key, uploadId }) => key > keyMarker || (key === keyMarker && uploadId > idMarker));
  const page = after.slice(0, pageUploads);
  const last = page.at(-1);
  const rows = page.map(
    ({ key, uploadId, initiated }) =>
      `<Upload><Key>${key}</Key><UploadId>${uploadId}</UploadId><Initiated>${initiated}</Initiated></Upload>`,
  );
  const next = `<NextKeyMarker>${last?.key ?? ''}</NextKeyMarker><NextUploadIdMarker>${last?.uploadId ?? ''}</NextUploadIdMarker>`;
  return `<ListMultipartUploadsResult><Bucket>${bucket}</Bucket><IsTruncated>${after.length > page.length}</IsTruncated>${next}${rows.join('')}</ListMultipartUploadsResult>`;
}

function respondXml(answer: ServerResponse, status: number, xml: string): void {
  answer.writeHead(status, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${xml}`);
}

/** A request as it was received; header names in lower case, path and query still encoded. */
type SignedS3Request = {
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

// As a program: serves the folder of its argument, prints its address, and ends with its standard input.
if (import.meta.main) {
  const { place } = await openStrictS3Server(process.argv[2] ?? '');
  writeSync(1, `${place.endpoint}\n`);
  process.stdin.on('end', () => process.exit(0)).resume();
}
