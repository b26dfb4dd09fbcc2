import { seededIntegers } from './seeded-integers.ts';

/** The documents of one size. There are several, so that consecutive responses differ. */
export type DocumentSet = { readonly name: '10k' | '1m'; readonly bytes: number; readonly count: number };

export const documentSets: readonly DocumentSet[] = [
  { name: '10k', bytes: 10_240, count: 64 },
  { name: '1m', bytes: 1_048_576, count: 16 },
];

/** The bytes of a document, the same in every process: the first line of a PDF, then random bytes that do not compress. */
export function documentBytes(set: DocumentSet, index: number): Buffer {
  const bytes = Buffer.allocUnsafe(set.bytes);
  const next = seededIntegers(set.bytes + index);
  for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(next(2 ** 32), at);
  bytes.write('%PDF-1.7\n');
  return bytes;
}
