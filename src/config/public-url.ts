import { SettingError, type Settings } from './settings.ts';

/** Whether it leads nowhere: it listens everywhere, however that is written, or it stands in no URL, as fe80::1%eth0. */
function isUnreachableHost(host: string): boolean {
  const found = URL.parse(`http://${bracketIpv6(host)}`)?.hostname;
  return found === undefined || ['0.0.0.0', '[::]', '[::ffff:0:0]'].includes(found);
}

function bracketIpv6(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Where a program of this machine finds what listens at that host, as the host of a URL. */
export function loopbackHostFor(host: string): string {
  return { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? bracketIpv6(host);
}

/**
 * Where callers find a server that listens on that port: as the operator says, or where it listens. Tokens and signed results
 * state it, and callers compare; who listens everywhere has to say it.
 */
export function publicUrlFor(
  { publicUrl, host, tlsCertificate }: Pick<Settings, 'publicUrl' | 'host' | 'tlsCertificate'>,
  port: number,
): string {
  if (publicUrl === undefined && isUnreachableHost(host)) {
    throw new SettingError('PUBLIC_URL', `expected the address that callers use, since ${host} in HOST is none`);
  }
  const scheme = tlsCertificate === undefined ? 'http' : 'https';
  return publicUrl ?? `${scheme}://${bracketIpv6(host)}:${port}`;
}

/** The address for links that people follow; undefined where none is known before the server listens, or ever. */
export function baseUrlForLinks(settings: Settings): string | undefined {
  const { publicUrl, host, port } = settings;
  if (publicUrl === undefined && (port === 0 || isUnreachableHost(host))) return undefined;
  return publicUrlFor(settings, port);
}
