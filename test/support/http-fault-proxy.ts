import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CleanupScope } from './server-process.ts';

/** A request at the proxy; `isRejectedByLoad` if the server was too busy and answered 503, which tests ignore. */
export type ProxiedRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  isRejectedByLoad: boolean;
};

/** The fault of a request: the server executes it, and the answer is lost, delayed without end, or replaced. */
export type ProxyFault =
  | 'lost'
  | 'held'
  | { readonly status: number; readonly headers?: OutgoingHttpHeaders; readonly body?: string }
  /** Forwarded with changed headers. */
  | { readonly with: OutgoingHttpHeaders };

/** A proxy on loopback that injects the faults of a test, and forwards everything else. */
export async function startHttpFaultProxy(t: CleanupScope, target: string) {
  const passed: ProxiedRequest[] = [];
  const state: { faultOf: (passed: ProxiedRequest) => ProxyFault | undefined } = { faultOf: () => undefined };
  const proxy = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const proxied: ProxiedRequest = { method, path, headers, isRejectedByLoad: false };
    passed.push(proxied);
    const fault = state.faultOf(proxied);
    const changedHeaders = typeof fault === 'object' && 'with' in fault ? fault.with : {};
    const upstreamRequest = request(
      `${target}${path}`,
      { method, headers: { ...headers, ...changedHeaders } },
      (answer) => {
        proxied.isRejectedByLoad = fault === undefined && answer.statusCode === 503;
        if (fault === 'held') return answer.resume();
        if (fault === 'lost') return answer.on('end', () => incoming.socket.destroy()).resume();
        if (fault !== undefined && 'status' in fault) {
          return answer.on('end', () => outgoing.writeHead(fault.status, fault.headers).end(fault.body)).resume();
        }
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        return answer.pipe(outgoing);
      },
    );
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
  /** The number of requests of a method to paths with this prefix. */
  const count = (method: string, path: string) =>
    passed.filter((one) => one.method === method && one.path.startsWith(path) && !one.isRejectedByLoad).length;
  return {
    url: `http://127.0.0.1:${port}`,
    passed,
    count,
    spoil: (faultOf: typeof state.faultOf) => Object.assign(state, { faultOf }),
  };
}
