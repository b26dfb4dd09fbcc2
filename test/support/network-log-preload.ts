/**
 * Loaded first into a process that a test starts. Writes a line to the file NETWORK_LOG for each connection, packet and name
 * lookup. Connections to Unix sockets stay on the machine and are not logged.
 */
import dgram from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

type Wrapped = (this: unknown, ...args: unknown[]) => unknown;

/** Replaces a function of Node with one that calls `onCall` first. */
function wrapFunction(owner: object, name: string, onCall: (args: readonly unknown[]) => void): void {
  const original = Reflect.get(owner, name) as Wrapped;
  Reflect.set(owner, name, function (this: unknown, ...args: unknown[]) {
    onCall(args);
    return original.apply(this, args);
  });
}

const logFile = process.env['NETWORK_LOG'];
if (logFile !== undefined) {
  const log = (line: string) => appendFileSync(logFile, `${line}\n`);
  wrapFunction(net.Socket.prototype, 'connect', (args) => {
    // Node calls this with its normalised arguments as one list.
    const [first, second] = Array.isArray(args[0]) ? (args[0] as unknown[]) : args;
    if (typeof first === 'object' && first !== null) {
      const { host = 'localhost', port, path } = first as { host?: string; port?: number; path?: string };
      if (path === undefined || path === null) log(`connect ${host}:${port}`);
    } else if (typeof first === 'number') log(`connect ${String(second)}:${first}`);
  });
  wrapFunction(dgram.Socket.prototype, 'send', () => log('packet'));
  for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    for (const name of [
      'lookup',
      'lookupService',
      'resolve',
      'resolve4',
      'resolve6',
      'resolveTxt',
      'resolveMx',
      'resolveSrv',
      'reverse',
    ]) {
      if (name in owner)
        wrapFunction(owner, name, ([host]) => {
          if (net.isIP(String(host)) === 0) log(`name ${String(host)}`);
        });
    }
  }
  syncBuiltinESMExports();
}
