import { readFile } from 'node:fs/promises';
import { undefinedIfMissing } from '../kernel/undefined-if-missing.ts';
import { replaceFileSynced } from './replace-file-synced.ts';
import { type Checkpoint, parseCheckpoint } from './tlog/checkpoint.ts';
import { parseNote } from './tlog/note.ts';

/**
 * The checkpoint file: a copy of the last signed checkpoint in `DATA_DIR`, outside of the database. With it, `openTree` refuses a
 * restored old backup, which would lead to a second history. The file only moves forward, and is synced before a signature leaves
 * this process. A crash before the rename leaves the old file; the tree is then signed again.
 */
export type Anchor = {
  /** The last signed checkpoint; undefined before the first. */
  read(): Promise<Checkpoint | undefined>;
  /** Replaces the file by a newer checkpoint, synced. Throws `AnchorError` if another process has changed the file. */
  advance(note: string): Promise<void>;
};

/** The checkpoint file is damaged, or another process uses it. */
export class AnchorError extends Error {
  override readonly name = 'AnchorError';
}

/** The name of the checkpoint file in `DATA_DIR`. */
export const anchorFileName = 'ledger-checkpoint';

/** Opens the checkpoint file at `path`, which need not exist. */
export function openAnchor(path: string): Anchor {
  let lastNote: string | undefined;

  const readText = () => undefinedIfMissing(readFile(path, 'utf8'));

  return {
    read: async () => {
      lastNote = await readText();
      return lastNote === undefined ? undefined : parseCheckpointNote(lastNote, path);
    },
    advance: async (note) => {
      const found = await readText();
      if (found !== lastNote)
        throw new AnchorError(`${path} was written by another process: two servers share one DATA_DIR`);
      const before = found === undefined ? undefined : parseCheckpointNote(found, path);
      if (before !== undefined && before.size > parseCheckpointNote(note, path).size) {
        throw new AnchorError(`${path} holds a larger checkpoint than the new one`);
      }
      await replaceFileSynced(path, note);
      lastNote = note;
    },
  };
}

function parseCheckpointNote(text: string, path: string): Checkpoint {
  const note = parseNote(text);
  const checkpoint = note === undefined ? undefined : parseCheckpoint(note.text);
  if (checkpoint === undefined) {
    throw new AnchorError(`${path} holds no checkpoint: restore it from its backup, or see docs/ledger.md#broken`);
  }
  return checkpoint;
}
