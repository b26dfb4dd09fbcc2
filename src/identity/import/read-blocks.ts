import { type FileHandle, open, stat } from 'node:fs/promises';

/** One record of a file: its values by the header, where it ends in bytes, or why it is none. */
export type ImportLine = {
  readonly fields: readonly string[];
  readonly end: number;
  /** Why the record cannot be read; `fields` then holds what stands there. */
  readonly fault?: string;
};

/** A file that cannot be imported at all, said to the person who named it. */
export class ImportFileFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ImportFileFault';
  }
}

/** Opens a file to import, which is read by places in it; to open a pipe would be to wait for its writer. */
export async function openRegularFile(path: string): Promise<FileHandle> {
  if (!(await stat(path)).isFile())
    throw new ImportFileFault('it is no file but a pipe or a device; write it to a file');
  return await open(path);
}

const blockBytes = 1 << 16;

/** Reads from `offset` on in blocks, each a buffer of its own; ends with the file. */
export async function* readBlocks(file: FileHandle, offset: number): AsyncGenerator<Buffer> {
  for (let position = offset; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(blockBytes), 0, blockBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
