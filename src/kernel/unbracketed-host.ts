/** The host of a URL as sockets and certificates know it: an address of IPv6 without the brackets. */
export function unbracketedHost({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
