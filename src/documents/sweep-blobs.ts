import type { Read } from '../store/db.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import { ownsBlob } from './document-store.ts';

/** More than that no crash leaves: as many uploads would have to be between their blob and their row. */
const mostOrphans = 1_000;

/** What a sweep found: `strays` are blobs that no document owns and that were left where they are. */
export type Swept = { readonly broken: number; readonly orphans: number; readonly strays: number };

/**
 * Removes what no document owns: uploads that broke off, and blobs whose row was never written, because the process
 * ended or the outcome stayed unknown. Only what was stored before that instant (epoch ms), which must lie further back
 * than an upload takes, is looked at; where no other process can be at work, that is the start of this one.
 *
 * Where more blobs are without an owner than with one, or more than a crash leaves, this is the wrong database or an old
 * one: then no blob is removed, and the operator has to be told of the strays.
 */
export async function sweepBlobs(
  parts: { readonly blobs: BlobStore; readonly read: Read },
  before: number,
): Promise<Swept> {
  const broken = await parts.blobs.removeBroken(before);
  const unowned: string[] = [];
  let [owned, strays] = [0, 0];
  for await (const { name, storedAt } of parts.blobs.list()) {
    if (storedAt >= before) continue;
    if (await ownsBlob(parts.read, name)) owned += 1;
    else {
      strays += 1;
      if (strays <= mostOrphans) unowned.push(name);
    }
  }
  if (strays > mostOrphans || strays > owned) return { broken, orphans: 0, strays };
  for (const name of unowned) await parts.blobs.remove(name);
  return { broken, orphans: unowned.length, strays: 0 };
}
