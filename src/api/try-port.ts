import { createServer } from 'node:net';
import { portFault, type Tried } from './port-fault.ts';

/**
 * Takes a port for a moment and gives its number, a free one for 0; throws where another program listens there. Listening
 * on a shared port does not tell: it would share the callers with any other program of this user that shares it too.
 */
export async function tryPort(tried: Tried): Promise<number> {
  const { host, port } = tried;
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (fault: NodeJS.ErrnoException) => reject(portFault(fault, tried)));
    probe.listen({ host, port }, resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : port;
}
