/** The text of percent-encoded UTF-8 (RFC 3986, section 2.1); undefined for an invalid encoding. */
export function percentDecode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch (fault) {
    if (fault instanceof URIError) return undefined;
    throw fault;
  }
}
