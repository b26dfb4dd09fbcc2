import { domainToASCII } from 'node:url';

/**
 * A single address with its domain in ASCII. Lists, comments, quotes and line breaks are rejected, so an address cannot add
 * header fields or recipients (test/contract/channels.test.ts, `a second recipient cannot be smuggled in`). Undefined for any
 * other text, and for a local part outside ASCII, which few relays accept.
 */
export function parseEmailAddress(text: string): string | undefined {
  const [, local = '', domain = ''] =
    /^([^\s\p{Cc}<>()[\]\\,;:@"]{1,64})@([^\s\p{Cc}<>()[\]\\,;:@"]+)$/u.exec(text) ?? [];
  const ascii = domainToASCII(domain);
  const address = `${local}@${ascii}`;
  return ascii !== '' && /^[\x21-\x7e]+$/.test(address) && address.length <= 254 ? address : undefined;
}
