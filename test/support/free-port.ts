import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

// Below the range that systems give to outgoing connections: while a killed server is down, none of its callers can be given
// its port by chance.
const [lowest, ports] = [20_000, 6_000];

/**
 * A TCP port on loopback that nobody listens on, and that no other test is given while this process lives, also while the server
 * that is to have it is not up yet, or down: so long it listens on the twin of the port, as far above as there are ports.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, lowest + ports);
    const reservation = await listenOn(port + ports);
    if (reservation === undefined) continue;
    reservation.unref();
    const probe = await listenOn(port);
    if (probe === undefined) {
      reservation.close();
      continue;
    }
    await new Promise((resolve) => probe.close(resolve));
    return port;
  }
}

/** Listens on that port; undefined where somebody else does. */
function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
