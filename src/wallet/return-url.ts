const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The reason why a wallet must not return to this address; undefined if it may. Clients do not register their addresses: only an
 * authenticated client sets one, and the code in it is useless without the token of that client.
 */
export function returnUrlFault(text: string): string | undefined {
  const url = URL.parse(text);
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopbackHosts.includes(url.hostname));
  if (url === null || !isSecure) return 'must be an https address; http only for this machine';
  if (url.username !== '' || url.password !== '' || text.includes('#'))
    return 'must have no user name, password or fragment';
  return undefined;
}
