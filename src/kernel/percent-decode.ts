/** What percent-encoded UTF-8 stands for (RFC 3986, section 2.1); undefined for what is none. */
export function percentDecode(given: string): string | undefined {
  try {
    return decodeURIComponent(given);
  } catch (fault) {
    if (fault instanceof URIError) return undefined;
    throw fault;
  }
}
