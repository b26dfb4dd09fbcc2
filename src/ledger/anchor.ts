import { readFile } from 'node:fs/promises';
import { undefinedIfMissing } from '../kernel/undefined-if-missing.ts';
import { replaceFileSynced } from './replace-file-synced.ts';
import { type Checkpoint, parseCheckpoint } from './tlog/checkpoint.ts';
import { parseNote } from './tlog/note.ts';

/**
 * The last signed checkpoint once more, in a place of its own that no restored backup of the database takes back: a file
 * beside it. It only moves forward, and is written before a signature leaves this process.
 */
export type Anchor = {
  /** What was signed last here; undefined before the first. */
  read(): Promise<Checkpoint | undefined>;
  /** Writes the note of a newer checkpoint, synced; throws where somebody else has moved the file meanwhile. */
  advance(note: string): Promise<void>;
};

/** The file of the anchor within `DATA_DIR`. */
export const anchorFileName = 'ledger-checkpoint';

/** The anchor in that file, which need not be there yet. */
export function openAnchor(path: string): Anchor {
  let lastNote: string | undefined;

  const readText = async () => await undefinedIfMissing(readFile(path, 'utf8'));

  return {
    read: async () => {
      lastNote = await readText();
      return lastNote === undefined ? undefined : parseCheckpointNote(lastNote, path);
    },
    advance: async (note) => {
      const found = await readText();
      if (found !== lastNote) throw new Error(`${path} was written by another process: two servers share one DATA_DIR`);
      const before = found === undefined ? undefined : parseCheckpointNote(found, path);
      if (before !== undefined && before.size > parseCheckpointNote(note, path).size) {
        throw new Error(`${path} holds a larger checkpoint than the one that was to be signed`);
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
    throw new Error(`${path} holds no checkpoint: bring it back from its backup, or see docs/ledger.md#broken`);
  }
  return checkpoint;
}
