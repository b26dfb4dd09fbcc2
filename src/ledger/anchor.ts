import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Checkpoint, parseCheckpoint } from './checkpoint.ts';
import { parseNote } from './note.ts';

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

/** The anchor in that file, which need not be there yet. */
export function openAnchor(path: string): Anchor {
  let last: string | undefined;

  async function current(): Promise<string | undefined> {
    try {
      return await readFile(path, 'utf8');
    } catch (fault) {
      if (fault instanceof Error && 'code' in fault && fault.code === 'ENOENT') return undefined;
      throw fault;
    }
  }

  return {
    read: async () => {
      last = await current();
      return last === undefined ? undefined : checkpointIn(last, path);
    },
    advance: async (note) => {
      const found = await current();
      if (found !== last) throw new Error(`${path} was written by another process: two servers share one DATA_DIR`);
      const before = found === undefined ? undefined : checkpointIn(found, path);
      if (before !== undefined && before.size > checkpointIn(note, path).size) {
        throw new Error(`${path} holds a larger checkpoint than the one that was to be signed`);
      }
      await writeSynced(path, note);
      last = note;
    },
  };
}

/** An anchor that remembers nothing beyond this process: for tests and benchmarks of other parts. */
export function memoryAnchor(): Anchor {
  let last: string | undefined;
  return {
    read: async () => (last === undefined ? undefined : checkpointIn(last, 'memory')),
    advance: async (note) => {
      last = note;
    },
  };
}

function checkpointIn(text: string, path: string): Checkpoint {
  const note = parseNote(text);
  const checkpoint = note === undefined ? undefined : parseCheckpoint(note.text);
  if (checkpoint === undefined) {
    throw new Error(`${path} holds no checkpoint: bring it back from its backup, or see docs/ledger.md#broken`);
  }
  return checkpoint;
}

/** Puts a file in place of the one before, synced with its folder: after a crash it is the one or the other. */
export async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
