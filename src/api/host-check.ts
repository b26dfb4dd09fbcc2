import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { unbracketedHost } from '../kernel/unbracketed-host.ts';

/**
 * Whether requests with that Host header are meant for a server on loopback that asks for no token; `listensAt` is what it was told to
 * listen at. A page in a browser of this machine can have a name of its own lead here (DNS rebinding), and would read what is
 * told, but cannot help naming it. Of a server that others reach any name counts: those of services and balancers.
 */
export function createHostCheck(configuredHost: string, address: string): (host: string | undefined) => boolean {
  if (address !== '::1' && !address.startsWith('127.')) return () => true;
  const names = ['localhost', hostname().toLowerCase(), configuredHost.toLowerCase()];
  return (host) => {
    // HTTP/1.0, which no browser speaks.
    if (host === undefined) return true;
    const asked = URL.parse(`http://${host}`);
    if (asked === null) return false;
    const name = unbracketedHost(asked).replace(/\.$/, '');
    return isIP(name) !== 0 || names.includes(name) || name.endsWith('.localhost');
  };
}
