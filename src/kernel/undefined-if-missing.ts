/** The result of a file operation; undefined if the file or folder does not exist. */
export async function undefinedIfMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (fault) {
    if (isNotFoundError(fault)) return undefined;
    throw fault;
  }
}

/** Whether an error of a file operation means that nothing is at the path. */
export function isNotFoundError(fault: unknown): boolean {
  return fault instanceof Error && 'code' in fault && (fault.code === 'ENOENT' || fault.code === 'ENOTDIR');
}
