import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A TCP port on loopback that nobody listens on, from below the range that systems give to outgoing connections: while a
 * killed server is down, none of its callers can be given its port by chance.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
