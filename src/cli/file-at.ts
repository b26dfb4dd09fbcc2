import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';

/**
 * What the system knows of the file at a path; undefined where nothing is there. Throws where it is something else, as a
 * pipe, which keeps whoever opens it waiting for ever.
 */
export async function fileAt(path: string): Promise<Stats | undefined> {
  let found: Stats;
  try {
    found = await stat(path);
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && (fault.code === 'ENOENT' || fault.code === 'ENOTDIR'))
      return undefined;
    throw fault;
  }
  if (found.isFile()) return found;
  throw new Error(`${JSON.stringify(path)} is no file`);
}
