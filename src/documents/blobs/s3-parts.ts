import { crc32 } from 'node:zlib';
import { BlobBroken } from './blob-store.ts';

/** What is sent in one request, and held in memory of one upload; S3 takes at most 10,000 parts. */
export const s3PartBytes = 8 * 1_048_576;

/** Pieces of exactly `partBytes`, the last one perhaps smaller. */
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

/** The checksum of S3 over the bytes of one request: the store refuses bytes that were changed on their way. */
export function s3Checksum(bytes: Buffer): string {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(bytes));
  return checksum.toString('base64');
}

/** A store that tells no checksum is believed: reading proves the bytes. One that tells another has stored others. */
export function requireChecksum(reported: string | undefined, sent: string): void {
  if (reported !== undefined && reported !== sent)
    throw new BlobBroken('S3 told another checksum than that of the bytes sent');
}
