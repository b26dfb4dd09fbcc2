import type { Read } from '../../db/database.ts';
import type { BlobStore } from './blob-store.ts';
import { listBlobsWithOwners } from './list-blobs-with-owners.ts';

/** A crash leaves fewer orphans: this many uploads would have to be between their blob and their row. */
export const maxOrphans = 100;

/** The result of a sweep; `strays` are blobs without an owner that were not removed. */
export type SweepResult = { readonly broken: number; readonly orphans: number; readonly strays: number };

/**
 * Removes blobs without an owner from before `before` (epoch ms): incomplete uploads, blobs of erased documents, and blobs whose
 * row was never written, because the process ended or the outcome was unknown. No upload that started earlier may still run.
 * Blobs without a row are removed only from before `rowless`: with a database restored from a backup, later documents look like
 * orphans too. If there are more orphans than owned blobs, or more than a crash leaves, this is the wrong or an old database:
 * then no blob is removed, and the strays are reported to the operator.
 */
export async function sweepBlobs(
  parts: { readonly blobs: BlobStore; readonly read: Read; isStopping?(): boolean },
  { before, rowless }: { readonly before: number; readonly rowless: number },
): Promise<SweepResult> {
  const broken = await parts.blobs.removeIncompleteUploads(before);
  const unowned: string[] = [];
  let orphans = 0;
  const remove = async (name: string) => {
    await parts.blobs.remove(name);
    orphans += 1;
  };
  let [owned, strays] = [0, 0];
  for await (const { name, storedAt, owner } of listBlobsWithOwners(parts, before)) {
    // The next sweep handles the rest, and reports strays.
    if (parts.isStopping?.() === true) return { broken, orphans, strays: 0 };
    if (owner === 'held') owned += 1;
    else if (owner === 'erased') await remove(name);
    else {
      strays += 1;
      if (storedAt < rowless && strays <= maxOrphans) unowned.push(name);
    }
  }
  if (strays > maxOrphans || strays > owned) return { broken, orphans, strays };
  for (const name of unowned) await remove(name);
  return { broken, orphans, strays: 0 };
}
