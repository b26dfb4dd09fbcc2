import type { FileHandle } from 'node:fs/promises';

/** One record of a file: its values in the order of the header, and the position of its end in bytes. */
export type ImportLine = {
  readonly fields: readonly string[];
  readonly end: number;
  /** The reason why the record cannot be read; `fields` then contains its text. */
  readonly fault?: string;
};

/** The file cannot be imported. The message is for the person who ran the command. */
export class ImportFileFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ImportFileFault';
  }
}

const blockBytes = 1 << 16;

/** Reads from `offset` to the end of the file. Each block is a new buffer. */
export async function* readBlocks(file: FileHandle, offset: number): AsyncGenerator<Buffer> {
  for (let position = offset; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(blockBytes), 0, blockBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
