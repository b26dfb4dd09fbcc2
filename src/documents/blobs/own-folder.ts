import { stat } from 'node:fs/promises';

/** How it is found out that a folder is ours, and what is done with one that is found to be so. */
export type Owning = { isOurs(): Promise<boolean>; take(): Promise<void> };

/**
 * Gives whether what is at this path is there and ours. `isOurs` is asked only of another folder than the one that was taken last, by
 * what the system calls it: that is never the same on another disk, so a mount that went away is found out.
 */
export function ownFolder(path: string, { isOurs, take }: Owning): () => Promise<boolean> {
  let taken: string | undefined;
  const find = () =>
    stat(path).then(
      ({ dev, ino }) => `${dev} ${ino}`,
      () => undefined,
    );
  return async () => {
    if (taken !== undefined && (await find()) === taken) return true;
    if (!(await isOurs())) return false;
    await take();
    taken = await find();
    return true;
  };
}
