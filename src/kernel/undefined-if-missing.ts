/** What was asked of a file or folder; undefined where nothing is there. */
export async function undefinedIfMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (fault) {
    if (isNotFoundError(fault)) return undefined;
    throw fault;
  }
}

/** Whether the system says that nothing is at a path. */
export function isNotFoundError(fault: unknown): boolean {
  return fault instanceof Error && 'code' in fault && (fault.code === 'ENOENT' || fault.code === 'ENOTDIR');
}
