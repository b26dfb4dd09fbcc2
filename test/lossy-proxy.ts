import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Afterwards } from './whole-server.ts';

/** A request that came to the proxy; `isShed` where the server behind was too busy for it, which no test is about. */
export type Passed = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  isShed: boolean;
};

/** What becomes of a request: the server carries it out, and its answer is lost, comes never, or is another. */
export type Fate =
  | 'lost'
  | 'held'
  | { readonly status: number; readonly headers?: OutgoingHttpHeaders; readonly body?: string }
  /** Passed on with other headers. */
  | { readonly with: OutgoingHttpHeaders };

/** A server on loopback before another, which spoils what a test wants spoilt; all else is passed on as it is. */
export async function startLossyProxy(t: Afterwards, target: string) {
  const passed: Passed[] = [];
  const state: { fateOf: (passed: Passed) => Fate | undefined } = { fateOf: () => undefined };
  const proxy = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const seen: Passed = { method, path, headers, isShed: false };
    passed.push(seen);
    const fate = state.fateOf(seen);
    const over = typeof fate === 'object' && 'with' in fate ? fate.with : {};
    const onward = request(`${target}${path}`, { method, headers: { ...headers, ...over } }, (answer) => {
      seen.isShed = fate === undefined && answer.statusCode === 503;
      if (fate === 'held') return answer.resume();
      if (fate === 'lost') return answer.on('end', () => incoming.socket.destroy()).resume();
      if (fate !== undefined && 'status' in fate) {
        return answer.on('end', () => outgoing.writeHead(fate.status, fate.headers).end(fate.body)).resume();
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      return answer.pipe(outgoing);
    });
    onward.on('error', () => incoming.socket.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
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
    passed.filter((one) => one.method === method && one.path.startsWith(path) && !one.isShed).length;
  return {
    url: `http://127.0.0.1:${port}`,
    passed,
    count,
    spoil: (fateOf: typeof state.fateOf) => Object.assign(state, { fateOf }),
  };
}
