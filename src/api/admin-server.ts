import { createServer } from 'node:http';
import { portFault } from './port-fault.ts';
import type { Page } from './server.ts';

/** What tells operators and their machines how a process is, whatever its role. No token is asked for. */
export type AdminServer = {
  /** Serves these pages, by GET alone, to whoever reaches that address; gives the port. */
  listen(place: { readonly host: string; readonly port: number }, pages: readonly Page[]): Promise<number>;
  close(): Promise<void>;
};

/** Makes one that listens nowhere yet. */
export function createAdminServer(): AdminServer {
  let served: readonly Page[] = [];
  const server = createServer(({ method, url }, response) => {
    const page = method === 'GET' ? served.find(({ path }) => path === url) : undefined;
    if (page === undefined) {
      response.writeHead(404).end();
      return;
    }
    page.get({}, new URLSearchParams()).then(
      (answer) => {
        if ('slug' in answer) response.writeHead(500).end();
        else response.writeHead(answer.status, answer.headers).end(answer.body);
      },
      () => response.writeHead(500).end(),
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
