import { Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

const maxTurns = 10_000;
const quietTurns = 4;

/** Waits until no connection is pending: closing the socket would reset them, with an unknown outcome for their clients. */
async function waitForPendingConnections(server: Server): Promise<void> {
  let connected = false;
  const onConnection = () => {
    connected = true;
  };
  server.on('connection', onConnection);
  for (let turn = 0, quiet = 0; turn < maxTurns && quiet < quietTurns; turn += 1) {
    connected = false;
    await nextTurn();
    quiet = connected ? 0 : quiet + 1;
  }
  server.off('connection', onConnection);
}

/** Closes the listening socket without ending any connection. `over` resolves when the last connection has ended. */
export async function closeListener(server: Server): Promise<{ readonly over: Promise<void> }> {
  await waitForPendingConnections(server);
  // In the same turn as the last check. The `close` of node:http would end idle connections, and would stop the checks of header
  // timeouts.
  return { over: new Promise((resolve) => Server.prototype.close.call(server, () => resolve())) };
}
