import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { unbracketedHost } from '../kernel/unbracketed-host.ts';

/**
 * Decides whether a request with this Host header may use a server that listens on loopback and requires no token. A web page can
 * give a name of its own the address of this machine (DNS rebinding) and then read responses; its requests carry that name. A
 * server that others can reach accepts every name, because services and load balancers have their own.
 */
export function createHostCheck(configuredHost: string, address: string): (host: string | undefined) => boolean {
  if (address !== '::1' && !address.startsWith('127.')) return () => true;
  const names = ['localhost', hostname().toLowerCase(), configuredHost.toLowerCase()];
  return (host) => {
    // HTTP/1.0, which no browser uses.
    if (host === undefined) return true;
    const asked = URL.parse(`http://${host}`);
    if (asked === null) return false;
    const name = unbracketedHost(asked).replace(/\.$/, '');
    return isIP(name) !== 0 || names.includes(name) || name.endsWith('.localhost');
  };
}
