import type { Read } from '../../db/database.ts';
import type { BlobStore } from './blob-store.ts';
import { listBlobsWithOwners } from './list-blobs-with-owners.ts';

/** More than that no crash leaves: as many uploads would have to be between their blob and their row. */
export const maxOrphans = 100;

/** What a sweep found: `strays` are blobs that no document owns and that were left where they are. */
export type SweepResult = { readonly broken: number; readonly orphans: number; readonly strays: number };

/** What a sweep looks at, in epoch ms: what was stored before `before`; and of that, blobs without a row only from before `rowless`. */
export type SweepTimes = { readonly before: number; readonly rowless: number };

/**
 * Removes what no document owns: uploads that broke off, blobs of erased documents, and blobs whose row was never written,
 * because the process ended or the outcome stayed unknown. `before` must lie further back than an upload takes; where no
 * other process can be at work, it is the start of this one. `rowless` lies further back still: beside a database that was
 * taken back to an older state the documents deposited since look like that too, and nothing brings them back.
 *
 * Where more blobs are without an owner than with one, or more than a crash leaves, this is the wrong database or an old
 * one: then no blob is removed, and the operator has to be told of the strays.
 */
export async function sweepBlobs(
  parts: { readonly blobs: BlobStore; readonly read: Read; isStopping?(): boolean },
  { before, rowless }: SweepTimes,
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
    // What is left is for the next sweep, which also tells of strays.
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
