import type { Read } from '../store/db.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import { ownsBlob } from './document-store.ts';

/**
 * Removes what no document owns: uploads that broke off, and blobs whose row was never written, because the process
 * ended or the outcome stayed unknown. Only what was stored before that instant (epoch ms), which must lie further back
 * than an upload takes, is looked at; where no other process can be at work, that is the start of this one.
 */
export async function sweepBlobs(
  parts: { readonly blobs: BlobStore; readonly read: Read },
  before: number,
): Promise<{ readonly broken: number; readonly orphans: number }> {
  const broken = await parts.blobs.removeBroken(before);
  let orphans = 0;
  for await (const { name, storedAt } of parts.blobs.list()) {
    if (storedAt >= before || (await ownsBlob(parts.read, name))) continue;
    await parts.blobs.remove(name);
    orphans += 1;
  }
  return { broken, orphans };
}
