const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Why a text is no address to which a wallet may return; undefined if it is one. Only an authenticated client sets it, and the code in it
 * is useless without the token of that client, so that the addresses of a client are not registered.
 */
export function returnUrlFault(text: string): string | undefined {
  const url = URL.parse(text);
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopbackHosts.includes(url.hostname));
  if (url === null || !isSecure) return 'must be an https address; http only for this machine';
  if (url.username !== '' || url.password !== '' || text.includes('#'))
    return 'must have no user name, password or fragment';
  return undefined;
}
