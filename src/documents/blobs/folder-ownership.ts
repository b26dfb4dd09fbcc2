import { stat } from 'node:fs/promises';

/** How a folder is recognised as the own one, and how it is prepared. */
export type FolderOwnership = { isOwnFolder(): Promise<boolean>; prepare(): Promise<void> };

/**
 * Creates a check whether the folder at `path` exists and is the own one. `isOwnFolder` runs only when device or inode differ
 * from the last accepted folder: they change when a disk is unmounted.
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
