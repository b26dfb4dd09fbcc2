/** The host of a URL for sockets and certificates: an IPv6 address without brackets. */
export function unbracketedHost({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
