import { createServer } from 'node:net';
import { type ListenAddress, listenError } from './listen-error.ts';

/** A port that no other program can take until it is released. */
type ReservedPort = { readonly port: number; release(): Promise<void> };

/** Checks that no other program listens on the port, and returns its number; for 0 a free one. Throws if it is taken. */
export async function probePort(listenAddress: ListenAddress): Promise<number> {
  const { port, release } = await reservePort(listenAddress);
  await release();
  return port;
}

/** Takes a port without accepting connections. Throws if another program listens there, even with SO_REUSEPORT. */
async function reservePort(listenAddress: ListenAddress): Promise<ReservedPort> {
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
