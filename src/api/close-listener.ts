import { Server } from 'node:net';
import { setImmediate as aTurn } from 'node:timers/promises';

const maxTurns = 10_000;
const quietTurns = 4;

/**
 * Lets turns of the event loop go by until some have brought no new connection, since each accepts one: those that wait
 * to be accepted when the listening socket closes are reset, and their callers could not tell what was taken.
 */
async function waitForPendingConnections(server: Server): Promise<void> {
  let connected = false;
  const onConnection = () => {
    connected = true;
  };
  server.on('connection', onConnection);
  for (let turn = 0, quiet = 0; turn < maxTurns && quiet < quietTurns; turn += 1) {
    connected = false;
    await aTurn();
    quiet = connected ? 0 : quiet + 1;
  }
  server.off('connection', onConnection);
}

/**
 * Closes the listening socket, and cuts off nobody: not even idle connections, on which a request may be on its way. Resolves
 * when it is closed; `over` does when the last connection has ended.
 */
export async function closeListener(server: Server): Promise<{ readonly over: Promise<void> }> {
  await waitForPendingConnections(server);
  // In this very turn. The `close` of node:http would first end idle connections, and watch those that are left no more.
  return { over: new Promise((resolve) => Server.prototype.close.call(server, () => resolve())) };
}
