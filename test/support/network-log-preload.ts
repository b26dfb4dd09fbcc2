/**
 * Loaded before anything else into a process that a test starts: notes in NETWORK_LOG, a line each, where it connects to,
 * where it sends packets, and which names it asks for. What goes to a socket file stays on the machine, and is not noted.
 */
import dgram from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

type Wrapped = (this: unknown, ...args: unknown[]) => unknown;

/** Puts something before a function of Node, wherever it is called from. */
function wrapFunction(home: object, name: string, note: (args: readonly unknown[]) => void): void {
  const own = Reflect.get(home, name) as Wrapped;
  Reflect.set(home, name, function (this: unknown, ...args: unknown[]) {
    note(args);
    return own.apply(this, args);
  });
}

const logFile = process.env['NETWORK_LOG'];
if (logFile !== undefined) {
  const tell = (what: string) => appendFileSync(logFile, `${what}\n`);
  wrapFunction(net.Socket.prototype, 'connect', (args) => {
    // Node hands on what it was given as one list.
    const [first, second] = Array.isArray(args[0]) ? (args[0] as unknown[]) : args;
    if (typeof first === 'object' && first !== null) {
      const { host = 'localhost', port, path } = first as { host?: string; port?: number; path?: string };
      if (path === undefined || path === null) tell(`connect ${host}:${port}`);
    } else if (typeof first === 'number') tell(`connect ${String(second)}:${first}`);
  });
  wrapFunction(dgram.Socket.prototype, 'send', () => tell('packet'));
  for (const home of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
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
      if (name in home)
        wrapFunction(home, name, ([host]) => {
          if (net.isIP(String(host)) === 0) tell(`name ${String(host)}`);
        });
    }
  }
  syncBuiltinESMExports();
}
