import type { Read } from '../../db/database.ts';
import { maxRowsPerStatement } from '../../db/multi-row-statement.ts';
import { type BlobOwner, blobOwnersOf } from '../document-store.ts';
import type { BlobStore, StoredBlob } from './blob-store.ts';

/** A blob with whose it is. */
export type BlobWithOwner = StoredBlob & { readonly owner: BlobOwner };

/**
 * The published blobs that were stored before that instant (epoch ms), with their owners, which are asked for by the page: a
 * statement for each would be as many as there are documents, each six hours.
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
