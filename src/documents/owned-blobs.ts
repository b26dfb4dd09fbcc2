import type { Read } from '../store/db.ts';
import { largestSize } from '../store/multi-row.ts';
import type { BlobStore, StoredBlob } from './blobs/blob-store.ts';
import { type Owner, ownersOf } from './document-store.ts';

/** A blob with whose it is. */
export type OwnedBlob = StoredBlob & { readonly owner: Owner };

/**
 * The published blobs that were stored before that instant (epoch ms), with their owners, which are asked for by the page: a
 * statement for each would be as many as there are documents, each six hours.
 */
export async function* ownedBlobs(
  { blobs, read }: { readonly blobs: Pick<BlobStore, 'list'>; readonly read: Read },
  before: number,
): AsyncGenerator<OwnedBlob> {
  let page: StoredBlob[] = [];
  for await (const blob of blobs.list()) {
    if (blob.storedAt < before) page.push(blob);
    if (page.length < largestSize) continue;
    yield* await withOwners(read, page);
    page = [];
  }
  yield* await withOwners(read, page);
}

async function withOwners(read: Read, page: readonly StoredBlob[]): Promise<OwnedBlob[]> {
  const owners = await ownersOf(
    read,
    page.map(({ name }) => name),
  );
  return page.map((blob) => ({ ...blob, owner: owners.get(blob.name) ?? 'none' }));
}
