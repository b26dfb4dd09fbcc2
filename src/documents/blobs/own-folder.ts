import { stat } from 'node:fs/promises';

/** Whether what lies at a path is still the folder that was found to be ours. */
export type OwnFolder = {
  /** Takes what is there now for ours. */
  take(): Promise<void>;
  /** Whether it is there: that one, or any while none was taken. */
  isThere(): Promise<boolean>;
  /** Whether it is the one that was taken. */
  isTaken(): Promise<boolean>;
};

/**
 * Tells the folder at this path from another that has its place, as where a mount goes away: what the system calls it is never
 * that of a folder on another disk.
 */
export function ownFolder(path: string): OwnFolder {
  let taken: string | undefined;
  const find = () =>
    stat(path).then(
      ({ dev, ino }) => `${dev} ${ino}`,
      () => undefined,
    );
  return {
    take: async () => {
      taken = await find();
    },
    isThere: async () => {
      const found = await find();
      return found !== undefined && found === (taken ?? found);
    },
    isTaken: async () => taken !== undefined && (await find()) === taken,
  };
}
