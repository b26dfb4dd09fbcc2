import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CleanupScope } from './server-process.ts';

/** A request that came to the proxy; `isShed` where the server behind was too busy for it, which no test is about. */
export type ProxiedRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  isRejectedByLoad: boolean;
};

/** What becomes of a request: the server carries it out, and its answer is lost, comes never, or is another. */
export type ProxyFault =
  | 'lost'
  | 'held'
  | { readonly status: number; readonly headers?: OutgoingHttpHeaders; readonly body?: string }
  /** Passed on with other headers. */
  | { readonly with: OutgoingHttpHeaders };

/** A server on loopback before another, which spoils what a test wants spoilt; all else is passed on as it is. */
export async function startHttpFaultProxy(t: CleanupScope, target: string) {
  const passed: ProxiedRequest[] = [];
  const state: { fateOf: (passed: ProxiedRequest) => ProxyFault | undefined } = { fateOf: () => undefined };
  const proxy = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const seen: ProxiedRequest = { method, path, headers, isRejectedByLoad: false };
    passed.push(seen);
    const fault = state.fateOf(seen);
    const over = typeof fault === 'object' && 'with' in fault ? fault.with : {};
    const upstreamRequest = request(`${target}${path}`, { method, headers: { ...headers, ...over } }, (answer) => {
      seen.isRejectedByLoad = fault === undefined && answer.statusCode === 503;
      if (fault === 'held') return answer.resume();
      if (fault === 'lost') return answer.on('end', () => incoming.socket.destroy()).resume();
      if (fault !== undefined && 'status' in fault) {
        return answer.on('end', () => outgoing.writeHead(fault.status, fault.headers).end(fault.body)).resume();
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      return answer.pipe(outgoing);
    });
    upstreamRequest.on('error', () => incoming.socket.destroy());
    outgoing.on('close', () => upstreamRequest.destroy());
    incoming.pipe(upstreamRequest);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  // A server that listens on TCP has an address with a port.
  const { port } = proxy.address() as AddressInfo;
  /** How many requests of that method came to a path that begins so. */
  const count = (method: string, path: string) =>
    passed.filter((one) => one.method === method && one.path.startsWith(path) && !one.isRejectedByLoad).length;
  return {
    url: `http://127.0.0.1:${port}`,
    passed,
    count,
    spoil: (fateOf: typeof state.fateOf) => Object.assign(state, { fateOf }),
  };
}
