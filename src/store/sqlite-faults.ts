export type SqliteFault = {
  readonly code: string;
  readonly errcode: number | undefined;
  readonly message: string;
};

const owner = 'the user of this process must own DATA_DIR and what is in it';
const backup = 'restore the newest backup';
// Read-only, corruption, disk full, cannot be opened, not a database.
const remedies = new Map([
  [8, owner],
  [11, backup],
  [13, 'make room, and start'],
  [14, owner],
  [26, backup],
]);

/** A fault of the file at `path` as an operator is told of it: which file, and what to do. */
export function withRemedy(path: string, { errcode = 0, message }: SqliteFault): string {
  const remedy = remedies.get(errcode & 0xff);
  return remedy === undefined ? message : `${path}: ${message}; ${remedy}`;
}
