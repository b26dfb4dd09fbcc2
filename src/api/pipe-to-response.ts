import type { ServerResponse } from 'node:http';
import type { ByteChunks } from './operation.ts';

/**
 * Sends chunks as the body of a response whose status and headers are set. The next chunk is requested only after the system has
 * taken the one before, so that its buffer can be reused and a slow reader delays only itself. A fault of the source, which the
 * source has logged, or a client that goes away ends the response early. Never rejects. The chunk that completes `length` is sent
 * together with the end, so that a small document is one write with its head.
 */
export async function pipeToResponse(chunks: ByteChunks, response: ServerResponse, length?: number): Promise<void> {
  let bytesLeft = length ?? Number.POSITIVE_INFINITY;
  // Resolves the wait for the current chunk. One promise for the whole response would collect a reaction for each chunk.
  let resume: () => void = () => undefined;
  response.once('close', () => resume());
  // A write after the client closed the connection is an error of the response. The close is handled above.
  response.on('error', () => response.destroy());
  try {
    for await (const chunk of chunks) {
      if (response.destroyed) return;
      // No byte may follow the declared length. The source still runs to its end, where it may find a fault.
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
