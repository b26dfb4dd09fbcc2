/** What was asked of a file or folder; undefined where nothing is there. */
export async function ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (fault) {
    if (isMissing(fault)) return undefined;
    throw fault;
  }
}

/** Whether the system says that nothing is at a path. */
export function isMissing(fault: unknown): boolean {
  return fault instanceof Error && 'code' in fault && (fault.code === 'ENOENT' || fault.code === 'ENOTDIR');
}
