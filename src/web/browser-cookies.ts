/** How the cookies of one site are set: over TLS their name and attributes say that nothing else may write or read them. */
export type Cookies = {
  /** The value that a request brings; undefined where it brings none, or two of them. */
  read(header: string | undefined, name: string): string | undefined;
  /** The header `set-cookie` for a value of letters, digits, `-` and `_`. */
  write(name: string, value: string, maxAgeSeconds: number): string;
  /** The header that takes it away. */
  clear(name: string): string;
};

/**
 * Cookies that no script reads, that another site's forms do not bring along (`SameSite=Lax`), and that over TLS carry the prefix
 * `__Host-` (RFC 6265bis, section 4.1.3.2): no other host of the domain can set them.
 */
export function createCookies(publicUrl: string): Cookies {
  const isSecure = publicUrl.startsWith('https:');
  const nameOf = (name: string) => (isSecure ? `__Host-${name}` : name);
  const write = (name: string, value: string, maxAgeSeconds: number) =>
    `${nameOf(name)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`;
  return {
    read: (header, name) => {
      const wanted = nameOf(name);
      const found = (header ?? '').split(';').flatMap((pair) => {
        const at = pair.indexOf('=');
        return at > 0 && pair.slice(0, at).trim() === wanted ? [pair.slice(at + 1).trim()] : [];
      });
      // Of two somebody else has set one: neither is believed.
      return found.length === 1 ? found[0] : undefined;
    },
    write,
    clear: (name) => write(name, '', 0),
  };
}
