import { createServer } from 'node:net';
import { type ListenAddress, listenError } from './listen-error.ts';

/** A port that nobody else gets until it is given back. */
export type ReservedPort = { readonly port: number; release(): Promise<void> };

/** Takes a port for a moment and gives its number, a free one for 0; throws where another program listens there. */
export async function probePort(listenAddress: ListenAddress): Promise<number> {
  const { port, release } = await reservePort(listenAddress);
  await release();
  return port;
}

/**
 * Takes a port without answering there; throws where another program listens. Listening on a shared port does not tell: it
 * would share the callers with any other program of this user that shares it too.
 */
export async function reservePort(listenAddress: ListenAddress): Promise<ReservedPort> {
  const { host, port } = listenAddress;
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (fault: NodeJS.ErrnoException) => reject(listenError(fault, listenAddress)));
    probe.listen({ host, port }, resolve);
  });
  const address = probe.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    release: () => new Promise((resolve) => probe.close(() => resolve())),
  };
}
