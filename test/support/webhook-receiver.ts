import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CleanupScope } from './server-process.ts';

/** A received call. */
export type ReceivedWebhookCall = { readonly headers: IncomingHttpHeaders; readonly body: string };

/** Starts a receiver on loopback that answers with the status of `answer`, 204 by default. */
export async function startWebhookReceiver(t: CleanupScope, answer: () => number = () => 204) {
  const calls: ReceivedWebhookCall[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      calls.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
      const status = answer();
      response.writeHead(status, status === 302 ? { location: 'http://127.0.0.1:1/' } : {}).end('x'.repeat(100_000));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  return { calls, port, url: `http://127.0.0.1:${port}/hook` };
}
