import type { BufferedResponse } from '../api/buffered-response.ts';

/** Reads and writes the cookies of one site. */
export type Cookies = {
  /** The value in a Cookie header; undefined if there is none, or more than one. */
  read(header: string | undefined, name: string): string | undefined;
  /** A `set-cookie` header for a value of letters, digits, `-` and `_`. */
  write(name: string, value: string, maxAgeSeconds: number): string;
  /** A `set-cookie` header that deletes the cookie. */
  clear(name: string): string;
};

/**
 * Cookies that scripts cannot read and that forms of other sites do not send (`SameSite=Lax`). Over TLS they have the prefix
 * `__Host-` (RFC 6265bis, section 4.1.3.2), so that no other host of the domain can set them.
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
      // If there are two, another party may have set one of them.
      return found.length === 1 ? found[0] : undefined;
    },
    write,
    clear: (name) => write(name, '', 0),
  };
}

/** The page with these `set-cookie` headers in addition to its own. */
export function withCookies(page: BufferedResponse, cookies: readonly string[]): BufferedResponse {
  const { headers, ...rest } = page;
  if (cookies.length === 0) return page;
  return { ...rest, headers: { ...headers, 'set-cookie': [headers['set-cookie'] ?? [], [...cookies]].flat() } };
}
