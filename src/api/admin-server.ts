import { createServer } from 'node:http';
import { requestPath, requestQuery } from '../kernel/request-target.ts';
import { createHostCheck } from './host-check.ts';
import { listenError } from './listen-error.ts';
import type { PageRoute } from './page-route.ts';

/** Serves the state and the metrics of a process, whatever its role. It requires no token. */
type AdminServer = {
  /**
   * Serves the pages to GET and HEAD; the query is ignored. On a loopback address the Host header must name loopback. Returns the
   * port.
   */
  listen(place: { readonly host: string; readonly port: number }, pages: readonly PageRoute[]): Promise<number>;
  close(): Promise<void>;
};

const wrongHostMessage = 'Ask by address, as http://127.0.0.1, by localhost, or by the name of the machine.\n';

/** Creates a server that does not listen yet. */
export function createAdminServer(): AdminServer {
  let servedPages: readonly PageRoute[] = [];
  let isAllowedHost: ReturnType<typeof createHostCheck> = () => false;
  const server = createServer(({ method = '', url, headers: { host } }, response) => {
    const end = (status: number, headers = {}, body: string | Buffer = '') =>
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
    const page = servedPages.find(({ path }) => path === requestPath(url));
    if (!isAllowedHost(host)) end(421, { 'content-type': 'text/plain' }, wrongHostMessage);
    else if (page === undefined) end(404);
    else if (method !== 'GET' && method !== 'HEAD') end(405, { allow: 'GET, HEAD' });
    else
      page.get({}, new URLSearchParams(requestQuery(url))).then(
        (answer) => {
          if ('slug' in answer) end(500);
          else end(answer.status, answer.headers, answer.body);
        },
        () => end(500),
      );
  });
  return {
    listen: async ({ host, port }, pages) => {
      servedPages = pages;
      await new Promise<void>((resolve, reject) => {
        server.once('error', (fault) => reject(listenError(fault, { host, port, settingPrefix: 'ADMIN_' })));
        server.listen(port, host, resolve);
      });
      const place = server.address();
      if (place === null || typeof place === 'string') return port;
      isAllowedHost = createHostCheck(host, place.address);
      return place.port;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
