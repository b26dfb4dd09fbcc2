import type { Read } from '../../db/database.ts';
import { maxRowsPerStatement } from '../../db/multi-row-statement.ts';
import { type BlobOwner, blobOwnersOf } from '../document-store.ts';
import type { BlobStore, StoredBlob } from './blob-store.ts';

type BlobWithOwner = StoredBlob & { readonly owner: BlobOwner };

/**
 * The blobs stored before that instant (epoch ms) with their owners, which are read in pages: one statement for each document
 * would be too many for a sweep every six hours.
 */
export async function* listBlobsWithOwners(
  { blobs, read }: { readonly blobs: Pick<BlobStore, 'list'>; readonly read: Read },
  before: number,
): AsyncGenerator<BlobWithOwner> {
  let page: StoredBlob[] = [];
  for await (const blob of blobs.list()) {
    if (blob.storedAt < before) page.push(blob);
    if (page.length < maxRowsPerStatement) continue;
    yield* await withOwners(read, page);
    page = [];
  }
  yield* await withOwners(read, page);
}

async function withOwners(read: Read, page: readonly StoredBlob[]): Promise<BlobWithOwner[]> {
  const owners = await blobOwnersOf(
    read,
    page.map(({ name }) => name),
  );
  return page.map((blob) => ({ ...blob, owner: owners.get(blob.name) ?? 'none' }));
}
