import { SettingError, type Settings } from './settings.ts';

/** Returns whether no URL can contain the host: it is a spelling of "all addresses", or has a zone, such as fe80::1%eth0. */
function isUnreachableHost(host: string): boolean {
  const found = URL.parse(`http://${bracketIpv6(host)}`)?.hostname;
  return found === undefined || ['0.0.0.0', '[::]', '[::ffff:0:0]'].includes(found);
}

function bracketIpv6(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** The host of the URL at which programs on this machine reach a server that listens on `host`. */
export function loopbackHostFor(host: string): string {
  return { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? bracketIpv6(host);
}

/** PUBLIC_URL, or the address on which the server listens. Clients compare it with the issuer of tokens. */
export function publicUrlFor(
  { publicUrl, host, tlsCertificate }: Pick<Settings, 'publicUrl' | 'host' | 'tlsCertificate'>,
  port: number,
): string {
  if (publicUrl === undefined && isUnreachableHost(host)) {
    throw new SettingError('PUBLIC_URL', `expected the address that clients use, because HOST is ${host}`);
  }
  const scheme = tlsCertificate === undefined ? 'http' : 'https';
  return publicUrl ?? `${scheme}://${bracketIpv6(host)}:${port}`;
}

/** The start of links in messages; undefined if PUBLIC_URL is not set and the address is unknown before the server listens. */
export function baseUrlForLinks(settings: Settings): string | undefined {
  const { publicUrl, host, port } = settings;
  if (publicUrl === undefined && (port === 0 || isUnreachableHost(host))) return undefined;
  return publicUrlFor(settings, port);
}
