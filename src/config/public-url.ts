import { SettingError, type Settings } from './settings.ts';

/** Hosts that listen everywhere and lead nowhere. */
const wildcards: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/**
 * Where callers find a server that listens on that port: as the operator says, or where it listens. Tokens and signed results
 * state it, and callers compare; who listens everywhere has to say it.
 */
export function publicUrlOn(
  { publicUrl, host, tlsCertificate }: Pick<Settings, 'publicUrl' | 'host' | 'tlsCertificate'>,
  port: number,
): string {
  if (publicUrl === undefined && wildcards.has(host)) {
    throw new SettingError('PUBLIC_URL', `expected the address that callers use, since ${host} in HOST is none`);
  }
  const scheme = tlsCertificate === undefined ? 'http' : 'https';
  return publicUrl ?? `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The address for links that people follow; undefined where none is known before the server listens, or ever. */
export function linkUrlOf(settings: Settings): string | undefined {
  const { publicUrl, host, port } = settings;
  if (publicUrl === undefined && (port === 0 || wildcards.has(host))) return undefined;
  return publicUrlOn(settings, port);
}
