import type { Readable } from 'node:stream';
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
import { requireChecksum, s3Checksum, s3PartBytes, splitIntoParts } from './s3-parts.ts';

/** Where the bucket is, and who we are there: nothing is looked for elsewhere, in files or on the network. */
export type S3Location = {
  readonly bucket: string;
  /** In front of every name; empty or ending in `/`. */
  readonly prefix: string;
  readonly region: string;
  /** Of a store that is not AWS; its buckets stand in the path. */
  readonly endpoint: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
};

/** So long S3 has for its answer to a request, of which three are made, and then for each next piece of a body. */
const defaultAnswerMs = 30_000;

export type S3Options = {
  readonly answerMs?: number | undefined;
  /** Told why S3 cannot be used; the caller learns only that it cannot. */
  readonly onFault?: ((fault: unknown) => void) | undefined;
};

type Bucket = {
  readonly client: S3Client;
  readonly Bucket: string;
  readonly answerMs: number;
  readonly unavailable: ToUnavailable;
};

/** Tells the operator why, and gives what the caller learns. */
type ToUnavailable = (cause: unknown) => BlobsUnavailable;

/**
 * Blobs as objects of an S3 bucket. Small ones are put in one request, others in parts; S3 shows an object when it has
 * all of it, and answers when it is durable. Give the bucket a lifecycle rule that ends incomplete uploads, where it
 * cannot list them.
 */
export function openS3Blobs(location: S3Location, { answerMs = defaultAnswerMs, onFault }: S3Options = {}): BlobStore {
  const { bucket, prefix } = location;
  const unavailable: ToUnavailable = (cause) => {
    onFault?.(cause);
    return new BlobsUnavailable('S3 cannot be used at present', { cause });
  };
  const bucketClient: Bucket = {
    client: createS3Client(location, answerMs, unavailable),
    Bucket: bucket,
    answerMs,
    unavailable,
  };
  const keyOf = (name: string) => {
    if (!blobNamePattern.test(name)) throw new TypeError('that is not the name of a blob');
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
        // An upload that S3 knows no more: by a rule of the bucket, or whose end it has answered, and the answer was lost.
        throw isObjectError(fault) ? unavailable(fault) : fault;
      } finally {
        await parts.return(undefined);
      }
    },
    read: (name, part) => readPart(bucketClient, keyOf(name), part),
    has: async (name) => {
      const found = await bucketClient.client
        .send(new HeadObjectCommand({ Bucket: bucket, Key: keyOf(name) }))
        .catch(falseIfMissing);
      return found !== false;
    },
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
  // A reader keeps its socket for as long as it reads: with 50 of them at most, as usual, so many slow ones would be all.
  const agent = { maxSockets: Number.POSITIVE_INFINITY };
  const client = new S3Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    credentials: { accessKeyId, secretAccessKey: secretAccessKey.reveal() },
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: 5_000,
      requestTimeout,
      // Without it a request that takes too long is told on standard error, and waited for without end.
      throwOnRequestTimeout: true,
      ...{ httpAgent: agent, httpsAgent: agent },
    },
    // Those that the client of AWS makes by itself come as trailers, which other stores often do not know. Ours are plain
    // headers, and what is read is proven by the seal.
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

/** What S3 says of one blob or upload. All else is of the store: a bucket that is not there, a key that it does not take. */
const objectErrors = new Set(['NoSuchKey', 'NotFound', 'InvalidRange', 'NoSuchUpload', 'NotImplemented']);
const isObjectError = (fault: unknown) => fault instanceof S3ServiceException && objectErrors.has(fault.name);

async function putWhole({ client, Bucket }: Bucket, Key: string, Body: Buffer): Promise<void> {
  const ChecksumCRC32 = s3Checksum(Body);
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
  if (UploadId === undefined) throw new Error('S3 began an upload without an id');
  const upload = { Bucket, Key, UploadId };
  try {
    const Parts: CompletedPart[] = [];
    const send = async (Body: Buffer) => {
      const PartNumber = Parts.length + 1;
      const ChecksumCRC32 = s3Checksum(Body);
      const part = await client.send(new UploadPartCommand({ ...upload, PartNumber, Body, ChecksumCRC32 }));
      requireChecksum(part.ChecksumCRC32, ChecksumCRC32);
      // A store that knows no checksums would not know it at the end either.
      const checksum = part.ChecksumCRC32 === undefined ? {} : { ChecksumCRC32 };
      Parts.push({ PartNumber, ETag: part.ETag, ...checksum });
    };
    await send(first);
    for await (const part of rest) await send(part);
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
  } catch (fault) {
    await client.send(new AbortMultipartUploadCommand(upload)).catch((cause: unknown) => {
      // What is left is an incomplete upload, which nobody reads; `removeBroken` or the lifecycle rule takes it.
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
    // In Node the body is a readable stream of buffers.
    const body = answer.Body as Readable;
    const found = Number(/\/(\d+)$/.exec(answer.ContentRange ?? '')?.[1] ?? Number.NaN);
    // What is not read would keep its connection.
    if (found !== totalBytes) body.destroy();
    requireLength(found, totalBytes);
    let left = end - start;
    for await (const piece of withReadTimeout(body, bucket)) {
      // Some stores send more than was asked for.
      yield piece.subarray(0, left);
      left -= piece.length;
      if (left <= 0) return;
    }
    throw new BlobBroken('a blob ended while it was read');
  } catch (cause) {
    if (isObjectError(cause)) {
      throw new BlobBroken('a blob that is on record is not in the bucket, or shorter', { cause });
    }
    throw cause;
  }
}

/** The pieces of a body, each waited for no longer than that; how long its reader takes does not count. Left early, it is destroyed. */
async function* withReadTimeout(body: Readable, { answerMs, unavailable }: Bucket): AsyncGenerator<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const late = setTimeout(() => body.destroy(new Error(`no more of a blob came within ${answerMs} ms`)), answerMs);
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
  if (found !== wanted) throw new BlobBroken(`a blob has ${found} bytes in the bucket, ${wanted} on record`);
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

/** Some stores cannot list incomplete uploads; they end them by a rule of their own. */
function undefinedIfNotListable(fault: unknown): undefined {
  if (!(fault instanceof S3ServiceException && fault.name === 'NotImplemented')) throw fault;
}
