/** A `postgres://` URL in parts; `authority` is the text between `//` and the path. */
const urlPattern = /^(?<scheme>postgres(?:ql)?:\/\/)(?<authority>[^/?#]*)(?<path>[^?#]*)(?:\?(?<query>[^#]*))?/;

/**
 * The URLs of the single hosts of a `postgres://` URL, in its order. Several hosts are written as libpq reads them: as
 * `host1:port1,host2:port2`, or as the lists `?host=` and `?port=`, of which one port applies to all hosts. Returns undefined if
 * the text is no such URL, or if a host has no port of its own in a list of ports.
 */
export function splitPostgresUrl(text: string): readonly string[] | undefined {
  const { scheme = '', authority = '', path = '', query } = urlPattern.exec(text)?.groups ?? {};
  if (scheme === '') return undefined;
  const parameters = new URLSearchParams(query);
  const listed = parameters.get('host')?.split(',') ?? [];
  const login = authority.slice(0, authority.lastIndexOf('@') + 1);
  const places = authority.slice(login.length).split(',');
  if (listed.length < 2 && places.length < 2) return [text];
  if (listed.length === 0) {
    const suffix = query === undefined ? path : `${path}?${query}`;
    return places.includes('') ? undefined : places.map((place) => `${scheme}${login}${place}${suffix}`);
  }
  const ports = parameters.get('port')?.split(',') ?? [];
  if (places.length > 1 || listed.includes('') || (ports.length > 1 && ports.length !== listed.length))
    return undefined;
  return listed.map((host, at) => {
    const own = new URLSearchParams(parameters);
    own.set('host', host);
    const port = ports[at] ?? ports[0];
    if (port !== undefined) own.set('port', port);
    return `${scheme}${authority}${path}?${own}`;
  });
}

/** Parses the URL of a single host. The URL of a Unix socket has no host, and the driver reads a % that starts no code as a plain %. */
export function parsePostgresUrl(text: string): URL | null {
  return URL.parse(text.replace('@/', '@localhost/').replace(/%(?![\da-f]{2})/gi, '%25'));
}
