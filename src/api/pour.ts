import type { ServerResponse } from 'node:http';
import type { Pieces } from './operation.ts';

/**
 * Sends pieces as a response whose status and headers are set: the next is asked for when the system has taken the one
 * before, so that a piece need not be kept, and a slow reader holds up nothing but itself. A fault cuts the answer off, and
 * so does a caller that goes away; whoever gave the pieces has told the fault. Never rejects.
 */
export async function pour(pieces: Pieces, response: ServerResponse): Promise<void> {
  const gone = new Promise<void>((resolve) => response.once('close', resolve));
  // What is written behind the end of a connection is an error of the response; that it has closed is known without it.
  response.on('error', () => response.destroy());
  try {
    for await (const piece of pieces) {
      if (response.destroyed) return;
      const taken = new Promise<void>((resolve, reject) => {
        response.write(piece, (fault) => (fault === undefined || fault === null ? resolve() : reject(fault)));
      });
      await Promise.race([taken, gone]);
    }
    response.end();
  } catch {
    response.destroy();
  }
}
