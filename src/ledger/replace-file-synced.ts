import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../db/sync-folder.ts';

/** Where a file is written before it gets its place. */
export const draftPathOf = (path: string): string => `${path}.new`;

/** Puts a file in place of the one before, synced with its folder: after a crash it is the one or the other. */
export async function replaceFileSynced(path: string, text: string): Promise<void> {
  const file = await open(draftPathOf(path), 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draftPathOf(path), path);
  await syncFolder(dirname(path));
}
