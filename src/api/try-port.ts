import { createServer } from 'node:net';
import { portFault, type Tried } from './port-fault.ts';

/** A port that nobody else gets until it is given back. */
export type TakenPort = { readonly port: number; giveBack(): Promise<void> };

/** Takes a port for a moment and gives its number, a free one for 0; throws where another program listens there. */
export async function tryPort(tried: Tried): Promise<number> {
  const { port, giveBack } = await takePort(tried);
  await giveBack();
  return port;
}

/**
 * Takes a port without answering there; throws where another program listens. Listening on a shared port does not tell: it
 * would share the callers with any other program of this user that shares it too.
 */
export async function takePort(tried: Tried): Promise<TakenPort> {
  const { host, port } = tried;
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (fault: NodeJS.ErrnoException) => reject(portFault(fault, tried)));
    probe.listen({ host, port }, resolve);
  });
  const address = probe.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    giveBack: () => new Promise((resolve) => probe.close(() => resolve())),
  };
}
