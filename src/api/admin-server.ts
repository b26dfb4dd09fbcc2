import { createServer } from 'node:http';
import { pathOf, queryOf } from '../kernel/request-target.ts';
import { portFault } from './port-fault.ts';
import type { Page } from './server.ts';

/** What tells operators and their machines how a process is, whatever its role. No token is asked for. */
type AdminServer = {
  /** Serves these pages, by GET and HEAD and whatever the query, to whoever reaches that address; gives the port. */
  listen(place: { readonly host: string; readonly port: number }, pages: readonly Page[]): Promise<number>;
  close(): Promise<void>;
};

/** Makes one that listens nowhere yet. */
export function createAdminServer(): AdminServer {
  let served: readonly Page[] = [];
  const server = createServer(({ method = '', url }, response) => {
    const end = (status: number, headers = {}, body: string | Buffer = '') =>
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
    const page = served.find(({ path }) => path === pathOf(url));
    if (page === undefined) end(404);
    else if (method !== 'GET' && method !== 'HEAD') end(405, { allow: 'GET, HEAD' });
    else
      page.get({}, new URLSearchParams(queryOf(url))).then(
        (answer) => {
          if ('slug' in answer) end(500);
          else end(answer.status, answer.headers, answer.body);
        },
        () => end(500),
      );
  });
  return {
    listen: async ({ host, port }, pages) => {
      served = pages;
      await new Promise<void>((resolve, reject) => {
        server.once('error', (fault) => reject(portFault(fault, { host, port, of: 'ADMIN_' })));
        server.listen(port, host, resolve);
      });
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : port;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
