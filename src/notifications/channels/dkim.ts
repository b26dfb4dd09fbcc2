import { createPrivateKey } from 'node:crypto';
import { signWithDkim } from './nodemailer-internals.ts';

/** The key with which a domain signs its mail; the public key is published at `SELECTOR._domainkey.DOMAIN`. */
export type DkimKey = { readonly domain: string; readonly selector: string; readonly privateKey: string };

/** A mail cannot be signed: the key that was checked at the start does not sign. */
class MailUnsigned extends Error {
  constructor() {
    super('the server could not sign the mail with DKIM_KEY');
    this.name = 'MailUnsigned';
  }
}

const minKeyBits = 2_048;
const domainLabel = /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/i;

/**
 * The fault of a key for mail from that address, with the name of its setting; undefined for a usable key. Rejects
 * keys with which nodemailer would leave the signature out, and domains that are not aligned with the sender (RFC 7489).
 */
export function dkimFault(key: DkimKey, mailFrom: string): readonly [name: string, fault: string] | undefined {
  const labels = key.domain.split('.');
  if (labels.length < 2 || !labels.every((label) => domainLabel.test(label)))
    return ['DKIM_DOMAIN', 'expected a domain in ASCII, such as tax.example'];
  if (!key.selector.split('.').every((label) => domainLabel.test(label)))
    return ['DKIM_SELECTOR', 'expected the name under _domainkey, such as mail2026'];
  const senderDomain = mailFrom.slice(mailFrom.lastIndexOf('@') + 1).toLowerCase();
  if (senderDomain !== key.domain && !senderDomain.endsWith(`.${key.domain}`))
    return [
      'DKIM_DOMAIN',
      'expected the domain of MAIL_FROM or a parent of it; receivers accept no other domain (DMARC alignment)',
    ];
  const fault = keyFault(key.privateKey);
  return fault === undefined ? undefined : ['DKIM_KEY', fault];
}

function keyFault(pem: string): string | undefined {
  const fix = 'create one with `openssl genrsa 2048`';
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    if (asymmetricKeyType !== 'rsa') return `expected an RSA key, received ${asymmetricKeyType}; ${fix}`;
    const bits = asymmetricKeyDetails?.modulusLength ?? 0;
    return bits < minKeyBits ? `expected at least ${minKeyBits} bits, received ${bits}; ${fix}` : undefined;
  } catch {
    return `expected a private key as PEM without a passphrase; ${fix}`;
  }
}

/** Returns a function that puts the signature (RFC 6376, relaxed, SHA-256) before a mail; it never returns an unsigned mail. */
export function createDkimSigner({ domain, selector, privateKey }: DkimKey): (raw: Buffer) => Promise<Buffer> {
  const options = { domainName: domain, keySelector: selector, privateKey };
  return async (raw) => {
    const signed = await signWithDkim(options, raw);
    if (!signed.toString('latin1', 0, 15).startsWith('DKIM-Signature:')) throw new MailUnsigned();
    return signed;
  };
}
