import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

// Below the ephemeral range: while a killed server is down, the system does not assign its port to an outgoing connection.
const [lowest, ports] = [20_000, 6_000];

/**
 * A free TCP port on loopback. No other test gets it while this process lives, also while the server of the port is down:
 * this process listens on `port + ports`, which reserves it.
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

/** Listens on that port; undefined if the port is in use. */
function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
