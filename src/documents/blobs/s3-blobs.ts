import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { Secret } from '../../kernel/secret.ts';
import {
  BlobBroken,
  type BlobPart,
  type BlobStore,
  BlobsUnavailable,
  blobNamePattern,
  type StoredBlob,
} from './blob-store.ts';

/** The bucket and its access key. Nothing else is read from files or the network. */
export type S3Location = {
  readonly bucket: string;
  /** Comes before each name; empty, or ends with `/`. */
  readonly prefix: string;
  readonly region: string;
  /** For a store other than AWS; its bucket is in the path. */
  readonly endpoint: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
};

/** The size of a part in bytes, and the memory of one upload. S3 accepts 10,000 parts. */
const s3PartBytes = 8 * 1_048_576;
/** How long S3 may take to answer a request, which is sent up to three times, and then for each piece of a body. */
const defaultAnswerMs = 30_000;

type S3Options = {
  readonly answerMs?: number | undefined;
  /** Called with the reason when S3 cannot be used; the caller learns only that it cannot. */
  readonly onFault?: ((fault: unknown) => void) | undefined;
};

class S3ProtocolError extends Error {
  override readonly name = 'S3ProtocolError';
}

type Bucket = {
  readonly client: S3Client;
  readonly Bucket: string;
  readonly answerMs: number;
  readonly unavailable: ToUnavailable;
};

/** Reports the reason to the operator, and returns the error for the caller. */
type ToUnavailable = (cause: unknown) => BlobsUnavailable;

/**
 * Blobs as objects of an S3 bucket. Small ones are sent in one request, others in parts. S3 shows an object only when it is
 * complete, and answers when it is durable. Give the bucket a lifecycle rule for incomplete uploads, if it cannot list them.
 * Own code: `@aws-sdk/lib-storage` sends several parts at a time, and does not compare the checksums that S3 returns.
 */
export function openS3Blobs(location: S3Location, { answerMs = defaultAnswerMs, onFault }: S3Options = {}): BlobStore {
  const { bucket, prefix } = location;
  const unavailable: ToUnavailable = (cause) => {
    onFault?.(cause);
    return new BlobsUnavailable('S3 does not respond or rejects requests', { cause });
  };
  const bucketClient: Bucket = {
    client: createS3Client(location, answerMs, unavailable),
    Bucket: bucket,
    answerMs,
    unavailable,
  };
  const keyOf = (name: string) => {
    if (!blobNamePattern.test(name)) throw new TypeError('expected a blob name of 4 to 64 letters, digits, _ or -');
    return `${prefix}${name}`;
  };
  return {
    put: async (name, bytes) => {
      const Key = keyOf(name);
      const parts = splitIntoParts(bytes);
      const first = await parts.next();
      const start = first.done === true ? Buffer.alloc(0) : first.value;
      try {
        if (start.length < s3PartBytes) await putWhole(bucketClient, Key, start);
        else await putParts(bucketClient, Key, start, parts);
      } catch (fault) {
        // S3 does not know the upload any more: a rule of the bucket ended it, or it has ended and the answer was lost.
        throw isObjectError(fault) ? unavailable(fault) : fault;
      } finally {
        await parts.return(undefined);
      }
    },
    read: (name, part) => readPart(bucketClient, keyOf(name), part),
    has: (name) =>
      bucketClient.client
        .send(new HeadObjectCommand({ Bucket: bucket, Key: keyOf(name) }))
        .then(() => true, falseIfMissing),
    remove: async (name) => {
      await bucketClient.client.send(new DeleteObjectCommand({ Bucket: bucket, Key: keyOf(name) }));
    },
    list: () => listObjects(bucketClient, prefix),
    removeIncompleteUploads: (before) => removeBroken(bucketClient, prefix, before),
  };
}

function createS3Client(
  { region, endpoint, accessKeyId, secretAccessKey }: S3Location,
  requestTimeout: number,
  unavailable: ToUnavailable,
): S3Client {
  // A reader keeps its socket while it reads: the default limit of 50 sockets would let slow readers block all others.
  const agent = { maxSockets: Number.POSITIVE_INFINITY };
  const client = new S3Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    credentials: { accessKeyId, secretAccessKey: secretAccessKey.reveal() },
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: 5_000,
      requestTimeout,
      // Without it, a slow request is only logged to standard error, and waits without end.
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
    // Automatic checksums of this client are trailers, which other stores often do not support. Ours are plain headers, and
    // decryption verifies what is read.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  client.middlewareStack.add(
    (next) => async (request) => {
      try {
        return await next(request);
      } catch (fault) {
        throw isObjectError(fault) ? fault : unavailable(fault);
      }
    },
    { step: 'initialize', name: 'unavailable' },
  );
  return client;
}

/** S3 errors about one object or upload. All others concern the store: a missing bucket, a rejected access key. */
const objectErrors = new Set(['NoSuchKey', 'NotFound', 'InvalidRange', 'NoSuchUpload', 'NotImplemented']);
const isObjectError = (fault: unknown) => fault instanceof S3ServiceException && objectErrors.has(fault.name);

async function putWhole({ client, Bucket }: Bucket, Key: string, Body: Buffer): Promise<void> {
  const ChecksumCRC32 = checksumOf(Body);
  const stored = await client.send(new PutObjectCommand({ Bucket, Key, Body, ChecksumCRC32 }));
  try {
    requireChecksum(stored.ChecksumCRC32, ChecksumCRC32);
  } catch (fault) {
    await client.send(new DeleteObjectCommand({ Bucket, Key }));
    throw fault;
  }
}

async function putParts({ client, Bucket }: Bucket, Key: string, first: Buffer, rest: AsyncGenerator<Buffer>) {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm: 'CRC32' }));
  if (UploadId === undefined) throw new S3ProtocolError('S3 began an upload without an id');
  const upload = { Bucket, Key, UploadId };
  try {
    const Parts: CompletedPart[] = [];
    const send = async (Body: Buffer) => {
      const PartNumber = Parts.length + 1;
      const ChecksumCRC32 = checksumOf(Body);
      const part = await client.send(new UploadPartCommand({ ...upload, PartNumber, Body, ChecksumCRC32 }));
      requireChecksum(part.ChecksumCRC32, ChecksumCRC32);
      // A store without checksums would not accept one at the end either.
      const checksum = part.ChecksumCRC32 === undefined ? {} : { ChecksumCRC32 };
      Parts.push({ PartNumber, ETag: part.ETag, ...checksum });
    };
    await send(first);
    for await (const part of rest) await send(part);
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
  } catch (fault) {
    await client.send(new AbortMultipartUploadCommand(upload)).catch((cause: unknown) => {
      // An incomplete upload is left, which no reader sees; `removeIncompleteUploads` or the lifecycle rule removes it.
      if (!(cause instanceof Error)) throw cause;
    });
    throw fault;
  }
}

async function* readPart(bucket: Bucket, Key: string, part: BlobPart): AsyncGenerator<Uint8Array> {
  const { client, Bucket } = bucket;
  const { start, end, totalBytes } = part;
  try {
    if (start >= end) {
      const { ContentLength } = await client.send(new HeadObjectCommand({ Bucket, Key }));
      requireLength(ContentLength, totalBytes);
      return;
    }
    const answer = await client.send(new GetObjectCommand({ Bucket, Key, Range: `bytes=${start}-${end - 1}` }));
    // In Node.js the body is a readable stream of buffers.
    const body = answer.Body as Readable;
    const found = Number(/\/(\d+)$/.exec(answer.ContentRange ?? '')?.[1] ?? Number.NaN);
    // An unread body would keep its connection.
    if (found !== totalBytes) body.destroy();
    requireLength(found, totalBytes);
    let left = end - start;
    for await (const piece of withReadTimeout(body, bucket)) {
      // Some stores send more than the requested range.
      yield piece.subarray(0, left);
      left -= piece.length;
      if (left <= 0) return;
    }
    throw new BlobBroken('a blob ended while it was read');
  } catch (cause) {
    if (isObjectError(cause)) {
      throw new BlobBroken('a blob of the database is not in the bucket, or is shorter', { cause });
    }
    throw cause;
  }
}

/**
 * Limits the wait for each piece of a body; the time of the reader does not count. When the reader stops early, the body is
 * destroyed.
 */
async function* withReadTimeout(body: Readable, { answerMs, unavailable }: Bucket): AsyncGenerator<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const late = setTimeout(
        () => body.destroy(new S3ProtocolError(`no further bytes of a blob within ${answerMs} ms`)),
        answerMs,
      );
      const next = await pieces
        .next()
        .catch((cause: unknown) => {
          throw unavailable(cause);
        })
        .finally(() => clearTimeout(late));
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    body.destroy();
  }
}

function falseIfMissing(fault: unknown): false {
  if (isObjectError(fault)) return false;
  throw fault;
}

function requireLength(found: number | undefined, wanted: number): void {
  if (found !== wanted) throw new BlobBroken(`a blob has ${found} bytes in the bucket, expected ${wanted}`);
}

async function* listObjects({ client, Bucket }: Bucket, prefix: string): AsyncGenerator<StoredBlob> {
  for (let ContinuationToken: string | undefined; ; ) {
    const page = await client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, ContinuationToken }));
    for (const { Key = '', LastModified } of page.Contents ?? []) {
      const name = Key.slice(prefix.length);
      if (blobNamePattern.test(name)) yield { name, storedAt: LastModified?.getTime() ?? 0 };
    }
    ContinuationToken = page.NextContinuationToken;
    if (page.IsTruncated !== true || ContinuationToken === undefined) return;
  }
}

async function removeBroken({ client, Bucket }: Bucket, prefix: string, before: number): Promise<number> {
  let removed = 0;
  for (let from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {}; ; ) {
    const page = await client
      .send(new ListMultipartUploadsCommand({ Bucket, Prefix: prefix, ...from }))
      .catch(undefinedIfNotListable);
    if (page === undefined) return removed;
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if ((Initiated?.getTime() ?? 0) >= before || Key === undefined || UploadId === undefined) continue;
      const abort = new AbortMultipartUploadCommand({ Bucket, Key, UploadId });
      // It may have ended since it was listed.
      if ((await client.send(abort).catch(falseIfMissing)) !== false) removed += 1;
    }
    if (page.IsTruncated !== true) return removed;
    from = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}

/** Some stores cannot list incomplete uploads; they end them by a rule. */
function undefinedIfNotListable(fault: unknown): undefined {
  if (!(fault instanceof S3ServiceException && fault.name === 'NotImplemented')) throw fault;
}

/** Splits a stream into parts of exactly `s3PartBytes`; the last one may be smaller. */
async function* splitIntoParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let buffered: Uint8Array[] = [];
  let length = 0;
  for await (const piece of bytes) {
    buffered.push(piece);
    length += piece.length;
    while (length >= s3PartBytes) {
      const all = Buffer.concat(buffered);
      yield all.subarray(0, s3PartBytes);
      buffered = [all.subarray(s3PartBytes)];
      length -= s3PartBytes;
    }
  }
  if (length > 0) yield Buffer.concat(buffered);
}

/** The CRC-32 of a request body in base64. S3 rejects bytes that were changed on their way. */
function checksumOf(bytes: Buffer): string {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(bytes));
  return checksum.toString('base64');
}

/**
 * Compares a reported checksum with the one sent. A store that reports none is accepted, because reading verifies the bytes. A
 * different checksum means that other bytes were stored.
 */
function requireChecksum(reported: string | undefined, sent: string): void {
  if (reported !== undefined && reported !== sent)
    throw new BlobBroken('S3 reported another checksum than that of the bytes sent');
}
