import { crc32 } from 'node:zlib';
import { BlobBroken } from './blob-store.ts';

/** The size of a part in bytes, and the memory of one upload. S3 accepts 10,000 parts. */
export const s3PartBytes = 8 * 1_048_576;

/** Splits a stream into parts of exactly `s3PartBytes`; the last one may be smaller. */
export async function* splitIntoParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
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
export function s3Checksum(bytes: Buffer): string {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(bytes));
  return checksum.toString('base64');
}

/**
 * Compares a reported checksum with the one sent. A store that reports none is accepted, because reading verifies the bytes. A
 * different checksum means that other bytes were stored.
 */
export function requireChecksum(reported: string | undefined, sent: string): void {
  if (reported !== undefined && reported !== sent)
    throw new BlobBroken('S3 reported another checksum than that of the bytes sent');
}
