import { createPrivateKey } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import DKIM from 'nodemailer/lib/dkim';

/** The key by which a domain answers for its mail; the public one is at `SELECTOR._domainkey.DOMAIN`. */
export type DkimKey = { readonly domain: string; readonly selector: string; readonly privateKey: string };

const minKeyBits = 2_048;
const domainLabel = /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/i;

/**
 * What is wrong about a key for mail from that address, with the setting it is in; undefined where nothing is. Refused
 * are keys that nodemailer would leave the signature out for, and domains that do not answer for the sender (RFC 7489).
 */
export function dkimFault(key: DkimKey, mailFrom: string): readonly [name: string, fault: string] | undefined {
  const domains = key.domain.split('.');
  if (domains.length < 2 || !domains.every((part) => domainLabel.test(part))) {
    return ['DKIM_DOMAIN', 'expected a domain in ASCII, as tax.example'];
  }
  if (!key.selector.split('.').every((part) => domainLabel.test(part))) {
    return ['DKIM_SELECTOR', 'expected the name under _domainkey, as mail2026'];
  }
  const sender = mailFrom.slice(mailFrom.lastIndexOf('@') + 1).toLowerCase();
  if (sender !== key.domain && !sender.endsWith(`.${key.domain}`)) {
    return ['DKIM_DOMAIN', 'expected the domain of MAIL_FROM or one above it; receivers do not align another'];
  }
  const fault = keyFault(key.privateKey);
  return fault === undefined ? undefined : ['DKIM_KEY', fault];
}

function keyFault(pem: string): string | undefined {
  const make = 'make one with `openssl genrsa 2048`';
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    if (asymmetricKeyType !== 'rsa') return `expected an RSA key, one of kind ${asymmetricKeyType} came; ${make}`;
    const bits = asymmetricKeyDetails?.modulusLength ?? 0;
    return bits < minKeyBits ? `expected at least ${minKeyBits} bits, ${bits} came; ${make}` : undefined;
  } catch {
    return `expected a private key as PEM without a passphrase, something else came; ${make}`;
  }
}

/** Puts the signature (RFC 6376, relaxed, SHA-256) before a mail; rejects rather than to let it go unsigned. */
export function createDkimSigner({ domain, selector, privateKey }: DkimKey): (raw: Buffer) => Promise<Buffer> {
  const dkim = new DKIM({ domainName: domain, keySelector: selector, privateKey });
  return async (raw) => {
    const signed = await buffer(dkim.sign(raw));
    if (!signed.subarray(0, 15).equals(Buffer.from('DKIM-Signature:'))) throw new Error('the mail could not be signed');
    return signed;
  };
}
