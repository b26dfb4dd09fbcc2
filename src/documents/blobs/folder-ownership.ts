import { stat } from 'node:fs/promises';

/** How it is found out that a folder is ours, and what is done with one that is found to be so. */
export type FolderOwnership = { isOwnFolder(): Promise<boolean>; prepare(): Promise<void> };

/**
 * Gives whether what is at this path is there and ours. `isOurs` is asked only of another folder than the one that was taken last, by
 * what the system calls it: that is never the same on another disk, so a mount that went away is found out.
 */
export function createOwnershipCheck(path: string, { isOwnFolder, prepare }: FolderOwnership): () => Promise<boolean> {
  let preparedId: string | undefined;
  const folderId = () =>
    stat(path).then(
      ({ dev, ino }) => `${dev} ${ino}`,
      () => undefined,
    );
  return async () => {
    if (preparedId !== undefined && (await folderId()) === preparedId) return true;
    if (!(await isOwnFolder())) return false;
    await prepare();
    preparedId = await folderId();
    return true;
  };
}
