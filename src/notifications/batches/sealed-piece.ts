import { keyBytes, openSealed, seal } from '../../crypto/chunked-encryption.ts';
import { unwrapKey, wrapKey } from '../../crypto/key-wrapping.ts';
import type { Json } from '../../kernel/canonical-json.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import { hmac } from '../../kernel/hashing.ts';
import type { BatchId } from '../../kernel/id.ts';
import type { NotificationBatch } from './batch.ts';

/** A row of CSV: its values in the order of the columns. A row of JSON Lines: its object, or null where the line has none. */
export type UploadedRow = readonly string[] | { readonly [member: string]: Json } | null;

/** Consecutive rows of an upload: the unit in which rows are stored, checked and sent. */
export type Piece = { readonly firstRow: number; readonly rows: readonly UploadedRow[] };

/** A piece as it is stored. `digest` compares the same rows of a repeated upload. */
export type SealedPiece = { readonly firstRow: number; readonly digest: Uint8Array; readonly sealed: Uint8Array };

const contextOf = (batch: BatchId, firstRow: number) => `citizen-services/batch-piece@v1\0${batch}\0${firstRow}`;
const ownerOf = (batch: BatchId) => `citizen-services/batch-key@v1\0${batch}`;

/** A new key for one upload, and the same key wrapped for its row. */
export function createBatchKey(
  wrappingKey: Uint8Array,
  batch: BatchId,
  random: RandomBytes,
): { readonly key: Uint8Array; readonly wrapped: Uint8Array } {
  const key = random(keyBytes);
  return { key, wrapped: wrapKey(wrappingKey, key, ownerOf(batch), random) };
}

/** The key of an upload; undefined when the upload was deleted. */
export function openBatchKey(
  wrappingKey: Uint8Array,
  { id, wrappedKey }: Pick<NotificationBatch, 'id' | 'wrappedKey'>,
): Uint8Array | undefined {
  return wrappedKey === null ? undefined : unwrapKey(wrappingKey, wrappedKey, ownerOf(id));
}

/** The context of sealing: the key and id of the batch. */
export type PieceKey = { readonly key: Uint8Array; readonly batch: BatchId };

/** Seals the rows of a piece. The same rows have the same digest, which reveals nothing without the key. */
export function sealPiece({ key, batch }: PieceKey, { firstRow, rows }: Piece, random: RandomBytes): SealedPiece {
  const plain = Buffer.from(JSON.stringify(rows));
  const context = contextOf(batch, firstRow);
  const digest = hmac('sha256', key, Buffer.concat([Buffer.from(`${context}\0`), plain]));
  return { firstRow, digest, sealed: seal(key, context, plain, random) };
}

/** Opens the rows of a stored piece. */
export function openPiece({ key, batch }: PieceKey, { firstRow, sealed }: Omit<SealedPiece, 'digest'>): Piece {
  const plain = openSealed(key, contextOf(batch, firstRow), sealed);
  // `sealPiece` has written it.
  return { firstRow, rows: JSON.parse(plain.toString()) as UploadedRow[] };
}
