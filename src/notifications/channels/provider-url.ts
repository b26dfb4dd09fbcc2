/** A URL of a provider from the settings; throws a TypeError that says what is wrong, and shows nothing of it. */
export function providerUrl(text: string, schemes: readonly string[]): URL {
  const url = new URL(text);
  const wanted = schemes.map((scheme) => `${scheme}://`).join(' or ');
  if (!schemes.some((scheme) => url.protocol === `${scheme}:`)) throw new TypeError(`expected ${wanted}`);
  if (url.hostname === '') throw new TypeError(`expected a host behind ${wanted}`);
  try {
    for (const part of [url.username, url.password, url.pathname]) decodeURIComponent(part);
  } catch {
    throw new TypeError('expected user, password and path percent-encoded, % itself as %25');
  }
  return url;
}
