import { domainToASCII } from 'node:url';

/**
 * One address and nothing else, its domain in ASCII: no list, no comment, no quotes, no line break, so that neither the
 * header nor the envelope can be widened (channels.test.ts, `a second recipient cannot be smuggled in`). Undefined for
 * any other text, and for a local part outside ASCII, which few relays take.
 */
export function parseEmailAddress(text: string): string | undefined {
  const [, local = '', domain = ''] =
    /^([^\s\p{Cc}<>()[\]\\,;:@"]{1,64})@([^\s\p{Cc}<>()[\]\\,;:@"]+)$/u.exec(text) ?? [];
  const ascii = domainToASCII(domain);
  const address = `${local}@${ascii}`;
  return ascii !== '' && /^[\x21-\x7e]+$/.test(address) && address.length <= 254 ? address : undefined;
}
