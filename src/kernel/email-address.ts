import { domainToASCII } from 'node:url';

/** A host name of RFC 5321 whose last label is no number. */
const hostName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * A single address with its domain in ASCII. Lists, comments, quotes and line breaks are rejected, so an address cannot add
 * header fields or recipients (test/contract/channels.test.ts, `a second recipient cannot be smuggled in`). Undefined for any
 * other text, and for a local part outside ASCII, which few relays accept. `domainToASCII` reads its argument as the host of a URL: it
 * decodes `%2e`, stops at `/` and `?`, and makes 127.0.0.1 of `127.1`. Such a domain would name another host than the one that was
 * written, so only letters, digits, hyphens and dots are accepted, and no number at the end (email-address.test.ts).
 */
export function parseEmailAddress(text: string): string | undefined {
  const [, local = '', domain = ''] =
    /^([^\s\p{Cc}<>()[\]\\,;:@"]{1,64})@([\p{L}\p{M}\p{N}.\u3002\uff0e\uff61-]+)$/u.exec(text) ?? [];
  const ascii = domainToASCII(domain);
  const address = `${local}@${ascii}`;
  return hostName.test(ascii) && /^[\x21-\x7e]+$/.test(local) && address.length <= 254 ? address : undefined;
}
