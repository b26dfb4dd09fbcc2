import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { readBytesUpTo } from '../kernel/read-bytes-up-to.ts';

/** The path is no regular file, or the file is too large. The message is for the person who named it, without the path. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/**
 * Opens a regular file for reads. Throws `UnreadableFile` for a folder, a pipe or a device. Attack: a running server opens the files that
 * its commands name, and a pipe without a writer, or an endless device, would stop it. The file is checked after it is open, so that
 * nobody can replace it in between (test/attacks/named-files.test.ts).
 */
export async function openRegularFile(path: string): Promise<FileHandle> {
  // Without O_NONBLOCK, opening a pipe waits for its writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) throw new UnreadableFile('expected a file, received a folder');
    if (!stats.isFile())
      throw new UnreadableFile('expected a regular file, received a pipe or a device; write its content to a file');
    return file;
  } catch (fault) {
    await file.close();
    throw fault;
  }
}

/** The bytes of a regular file. Throws `UnreadableFile` if there are more than `maxBytes`, and as `openRegularFile`. */
export async function readRegularFile(path: string, maxBytes: number): Promise<Buffer> {
  await using file = await openRegularFile(path);
  const { size } = await file.stat();
  // Read up to the limit and not to `size`: the file may grow, and files of /proc state a size of 0.
  const bytes = size > maxBytes ? undefined : await readBytesUpTo(file.createReadStream({ end: maxBytes }), maxBytes);
  if (bytes === undefined) throw new UnreadableFile(`expected at most ${maxBytes} bytes, received a larger file`);
  return bytes;
}
