import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CleanupScope } from './server-process.ts';

/** A server on loopback that publishes texts by path, such as status lists. */
export type ListServer = {
  /** Such as 127.0.0.1:40000. */
  readonly host: string;
  /** The texts by path. A test changes them. Other paths answer 404. */
  readonly texts: Map<string, string>;
  /** The paths that were requested, in their order. */
  readonly requested: string[];
  urlOf(path: string): string;
};

/** Starts the server, which stops when the test ends. */
export async function startListServer(t: CleanupScope): Promise<ListServer> {
  const texts = new Map<string, string>();
  const requested: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requested.push(path);
    const text = texts.get(path);
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  return { host, texts, requested, urlOf: (path) => `http://${host}${path}` };
}
