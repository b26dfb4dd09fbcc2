import { rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../db/sync-folder.ts';

/** The temporary file that becomes `path` by a rename. */
export const draftPathOf = (path: string): string => `${path}.new`;

/** Replaces a file and syncs it with its folder: after a crash it has the old or the new content, never a part. */
export async function replaceFileSynced(path: string, text: string): Promise<void> {
  await writeFile(draftPathOf(path), text, { mode: 0o600, flush: true });
  await rename(draftPathOf(path), path);
  await syncFolder(dirname(path));
}
