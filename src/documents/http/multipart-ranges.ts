import type { ByteRange } from './byte-ranges.ts';

/**
 * Frames ranges of a document of `size` bytes as `multipart/byteranges` (RFC 9110, section 14.6). `boundary` is random, so that
 * the document cannot contain it.
 */
export function createMultipart(
  ranges: readonly ByteRange[],
  { mediaType, size, boundary }: { readonly mediaType: string; readonly size: number; readonly boundary: string },
) {
  const heads = ranges.map(({ first, last }, index) =>
    Buffer.from(
      `${index === 0 ? '' : '\r\n'}--${boundary}\r\ncontent-type: ${mediaType}\r\ncontent-range: bytes ${first}-${last}/${size}\r\n\r\n`,
    ),
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const framing = heads.reduce((sum, head) => sum + head.length, tail.length);
  return {
    contentType: `multipart/byteranges; boundary=${boundary}`,
    length: ranges.reduce((sum, { first, last }) => sum + last - first + 1, framing),
    /** The body; `open` opens one range. */
    async *body(open: (range: ByteRange) => AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
      for (const [index, range] of ranges.entries()) {
        const pieces = open(range);
        try {
          // The head waits for the first piece of its range, so that nothing is sent before that piece is verified.
          const first = await pieces.next();
          yield heads[index] ?? Buffer.alloc(0);
          if (first.done !== true) yield first.value;
          yield* pieces;
        } finally {
          await pieces.return(undefined);
        }
      }
      yield tail;
    },
  };
}
