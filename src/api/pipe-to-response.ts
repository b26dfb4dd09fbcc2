import type { ServerResponse } from 'node:http';
import type { ByteChunks } from './operation.ts';

/**
 * Sends pieces as a response whose status and headers are set: the next is asked for when the system has taken the one
 * before, so that a piece need not be kept, and a slow reader holds up nothing but itself. A fault cuts the answer off, and
 * so does a caller that goes away; whoever gave the pieces has told the fault. Never rejects. The piece that makes up
 * `length`, what was announced, goes out together with the end: a small document is one write, with its head.
 */
export async function pipeToResponse(chunks: ByteChunks, response: ServerResponse, length?: number): Promise<void> {
  let bytesLeft = length ?? Number.POSITIVE_INFINITY;
  // Of the piece at hand: raced with one promise of the whole answer, each piece would leave something there until its end.
  let resume: () => void = () => undefined;
  response.once('close', () => resume());
  // What is written behind the end of a connection is an error of the response; that it has closed is known without it.
  response.on('error', () => response.destroy());
  try {
    for await (const chunk of chunks) {
      if (response.destroyed) return;
      // Nothing can follow what was announced; the source goes on to its end, where it may find a fault.
      if (response.writableEnded) continue;
      bytesLeft -= chunk.length;
      await new Promise<void>((resolve, reject) => {
        resume = resolve;
        const done = (fault?: Error | null) => (fault === undefined || fault === null ? resolve() : reject(fault));
        if (bytesLeft === 0) response.end(chunk, done);
        else response.write(chunk, done);
      });
    }
    if (!response.writableEnded) response.end();
  } catch {
    response.destroy();
  }
}
