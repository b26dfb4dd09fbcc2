import { createServer } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { requestPath, requestQuery } from '../kernel/request-target.ts';
import { unbracketedHost } from '../kernel/unbracketed-host.ts';
import { sendBuffered } from './buffered-response.ts';
import { type ListenAddress, listenError } from './listen-error.ts';
import type { PageRoute } from './page-route.ts';

const wrongHostMessage = 'Use the address, such as http://127.0.0.1, localhost or the name of the machine.\n';

/** Creates the server of health and metrics, which requires no token. On a loopback address the Host header must name loopback. */
export function createAdminServer() {
  let servedPages: readonly PageRoute[] = [];
  let isAllowedHost: ReturnType<typeof createHostCheck> = () => false;
  const server = createServer(({ method = '', url, headers: { host } }, response) => {
    const end = (status: number, headers = {}, body = '') => sendBuffered(response, { status, headers, body });
    const page = servedPages.find(({ path }) => path === requestPath(url));
    if (!isAllowedHost(host)) end(421, { 'content-type': 'text/plain' }, wrongHostMessage);
    else if (page === undefined) end(404);
    else if (method !== 'GET' && method !== 'HEAD') end(405, { allow: 'GET, HEAD' });
    else
      page.get({}, new URLSearchParams(requestQuery(url))).then(
        (answer) => ('slug' in answer ? end(500) : sendBuffered(response, answer)),
        () => end(500),
      );
  });
  return {
    /** Serves the pages to GET and HEAD, and returns the port. */
    listen: async ({ host, port }: ListenAddress, pages: readonly PageRoute[]): Promise<number> => {
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

/**
 * Creates a check of Host headers. A web page could point a name of its own at this machine (DNS rebinding) and read responses of
 * a server on loopback; its requests have that name. A server on another address accepts every name, such as those of services.
 */
export function createHostCheck(configuredHost: string, address: string): (host: string | undefined) => boolean {
  if (address !== '::1' && !address.startsWith('127.')) return () => true;
  const names = ['localhost', hostname().toLowerCase(), configuredHost.toLowerCase()];
  return (host) => {
    // Only HTTP/1.0 has no Host header, and no browser uses it.
    if (host === undefined) return true;
    const asked = URL.parse(`http://${host}`);
    if (asked === null) return false;
    const name = unbracketedHost(asked).replace(/\.$/, '');
    return isIP(name) !== 0 || names.includes(name) || name.endsWith('.localhost');
  };
}
