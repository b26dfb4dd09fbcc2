import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readBytesUpTo } from '../kernel/read-bytes-up-to.ts';
import { maxNoteBytes } from './tlog/note.ts';
import type { Witness, WitnessAnswer } from './witness.ts';

const notFound: WitnessAnswer = { status: 404, contentType: 'text/plain; charset=utf-8', body: 'nothing here\n' };

/** Serves a witness over HTTP. Put TLS in front of it. It needs no other protection, because checkpoints are signed. */
export async function serveWitness(
  witness: Witness,
  { host, port, onFault }: { readonly host: string; readonly port: number; onFault(fault: unknown): void },
) {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 10_000 }, (request, response) => {
    handleRequest(witness, request)
      .catch((fault: unknown) => {
        onFault(fault);
        return { ...notFound, status: 500, body: 'fault\n' };
      })
      .then((answer) => send(response, answer), onFault);
  });
  server.maxConnections = 500;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    /** The submission prefix and the monitoring prefix. */
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function handleRequest(witness: Witness, request: IncomingMessage): Promise<WitnessAnswer> {
  const path = request.url ?? '';
  if (request.method === 'POST' && (path === '/add-checkpoint' || path === '/sign-subtree')) {
    const body = (await readBytesUpTo(request, maxNoteBytes))?.toString();
    if (body === undefined) return { ...notFound, status: 413, body: 'too large\n' };
    return path === '/sign-subtree' ? witness.signSubtree(body) : await witness.addCheckpoint(body);
  }
  const [, originHash] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(path) ?? [];
  return request.method === 'GET' && originHash !== undefined ? await witness.checkpoint(originHash) : notFound;
}

function send(response: ServerResponse, { status, contentType, body }: WitnessAnswer): void {
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
