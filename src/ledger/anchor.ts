import { readFile } from 'node:fs/promises';
import { undefinedIfMissing } from '../kernel/undefined-if-missing.ts';
import { replaceFileSynced } from './replace-file-synced.ts';
import { type Checkpoint, parseCheckpoint } from './tlog/checkpoint.ts';
import { parseNote } from './tlog/note.ts';

/**
 * The checkpoint file: a copy of the newest checkpoint in `DATA_DIR`, outside of the database. With it, `openTree` refuses a
 * restored old backup, which would lead to a second history. The file only moves forward, and is synced before a signature leaves
 * this process. A crash before the rename leaves the old file; the tree is then signed again. A sequencer that does not lead
 * stores what it has verified: otherwise it would sign over a database that was rolled back to a state that is newer than its own last signature.
 */
export type Anchor = {
  /** The newest checkpoint that this process signed or verified; undefined before the first. */
  read(): Promise<Checkpoint | undefined>;
  /** Replaces the file by a checkpoint to sign, synced. Throws `AnchorError` if another process has changed the file. */
  advance(note: string): Promise<void>;
  /** Replaces the file by a verified checkpoint, synced, unless the file has one of that size or a larger one. */
  keepNewer(note: string): Promise<void>;
};

/** The checkpoint file is damaged, or another process uses it. */
class AnchorError extends Error {
  override readonly name = 'AnchorError';
}

/** The name of the checkpoint file in `DATA_DIR`. */
export const anchorFileName = 'ledger-checkpoint';

/** Opens the checkpoint file at `path`, which need not exist. Its changes run one after the other. */
export function openAnchor(path: string): Anchor {
  let lastNote: string | undefined;
  let changing: Promise<void> = Promise.resolve();

  const readText = async () => {
    try {
      return await undefinedIfMissing(readFile(path, 'utf8'));
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      const fix = 'if root restored it, make the user of the server the owner of DATA_DIR: chown -R USER: DATA_DIR';
      throw new AnchorError(`${path} cannot be read (${code}): ${fix}`, { cause });
    }
  };
  const sizeOf = (note: string) => parseCheckpointNote(note, path).size;

  async function replace(note: string): Promise<void> {
    await replaceFileSynced(path, note);
    lastNote = note;
  }

  function afterOthers(change: () => Promise<void>): Promise<void> {
    const done = changing.then(change);
    changing = done.catch(() => undefined);
    return done;
  }

  return {
    read: async () => {
      lastNote = await readText();
      return lastNote === undefined ? undefined : parseCheckpointNote(lastNote, path);
    },
    advance: (note) =>
      afterOthers(async () => {
        const found = await readText();
        if (found !== lastNote)
          throw new AnchorError(`another process wrote ${path}: two servers use the same DATA_DIR`);
        if (found !== undefined && sizeOf(found) > sizeOf(note)) {
          throw new AnchorError(`${path} has a larger checkpoint than the new one`);
        }
        await replace(note);
      }),
    keepNewer: (note) =>
      afterOthers(async () => {
        const found = await readText();
        if (found === undefined || sizeOf(found) < sizeOf(note)) await replace(note);
      }),
  };
}

function parseCheckpointNote(text: string, path: string): Checkpoint {
  const note = parseNote(text);
  const checkpoint = note === undefined ? undefined : parseCheckpoint(note.text);
  if (checkpoint === undefined) {
    throw new AnchorError(
      `${path} has no checkpoint: restore it from its backup, or see docs/security/ledger.md#broken`,
    );
  }
  return checkpoint;
}
