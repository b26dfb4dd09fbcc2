import { createPrivateKey, type KeyObject } from 'node:crypto';
import { CompactSign } from 'jose/jws/compact/sign';
import { readSettingText, SettingError } from '../../config/settings.ts';
import { sha256 } from '../../kernel/hashing.ts';
import { isUsable } from './certificate-chain.ts';
import { type IssuerCertificate, parseIssuerCertificates } from './issuer-certificate.ts';

/** The certificate with which this server identifies itself to wallets (ETSI TS 119 411-8), and its key. */
export type AccessCertificate = {
  /** Base64 DER, the leaf first, without the trust anchor: the header `x5c` (HAIP 1.0, section 5). */
  readonly chain: readonly string[];
  /** Base64url SHA-256 digest of the leaf, for the client id prefix `x509_hash`. */
  readonly hash: string;
  /** The names of the leaf, for the client id prefix `x509_san_dns`. */
  readonly dnsNames: readonly string[];
  /** When the first certificate of the chain expires, in epoch ms. */
  readonly expiresAt: number;
  /** A compact JWS with ES256 and `x5c`. */
  sign(payload: object, header: { readonly typ: string }): Promise<string>;
};

const names = { certificate: 'WALLET_CERTIFICATE_FILE', key: 'WALLET_CERTIFICATE_KEY_FILE' } as const;

/**
 * Reads the files of WALLET_CERTIFICATE_FILE and WALLET_CERTIFICATE_KEY_FILE. Throws a `SettingError` if they cannot be used. It accepts an
 * expired certificate, so that a server without a valid one still starts and answers all other operations.
 */
export function readAccessCertificate(certificateFile: string, keyFile: string, now: number): AccessCertificate {
  const key = parseKey(readSettingText(names.key, keyFile));
  return createAccessCertificate(parseChain(readSettingText(names.certificate, certificateFile)), key, now);
}

function createAccessCertificate(
  certificates: readonly [IssuerCertificate, ...IssuerCertificate[]],
  key: KeyObject,
  now: number,
): AccessCertificate {
  const [leaf] = certificates;
  const { x509 } = leaf;
  if (isSelfSigned(leaf)) throw wrongCertificate('a leaf that a CA has issued, received a self-signed certificate');
  const unusable = certificates.find((one) => !isUsable(one, Math.min(now, one.x509.validToDate.getTime())));
  if (unusable !== undefined)
    throw wrongCertificate(`certificates that are valid now, received one with the dates ${datesOf(unusable)}`);
  const isOrdered = certificates.every((one, index) => {
    const before = certificates[index - 1];
    return before === undefined || isIssuedBy(before, one);
  });
  if (!isOrdered)
    throw wrongCertificate('the leaf first, and after each certificate that of its issuer; received another order');
  if (!x509.checkPrivateKey(key))
    throw new SettingError(
      names.key,
      `expected the key of the first certificate in ${names.certificate}, received another key`,
    );
  const chain = certificates.filter((one) => !isSelfSigned(one)).map((one) => one.x509.raw.toString('base64'));
  return {
    chain,
    hash: sha256(x509.raw).toString('base64url'),
    dnsNames: dnsNamesOf(x509.subjectAltName),
    expiresAt: Math.min(...certificates.map((one) => one.x509.validToDate.getTime())),
    sign: (payload, { typ }) =>
      new CompactSign(Buffer.from(JSON.stringify(payload)))
        .setProtectedHeader({ alg: 'ES256', typ, x5c: [...chain] })
        .sign(key),
  };
}

function parseChain(pem: string): readonly [IssuerCertificate, ...IssuerCertificate[]] {
  try {
    const [leaf, ...others] = parseIssuerCertificates(pem);
    if (leaf !== undefined) return [leaf, ...others];
  } catch (fault) {
    if (!(fault instanceof TypeError)) throw fault;
  }
  throw wrongCertificate('a PEM file with the leaf and the CA certificates after it, received another content');
}

/** HAIP 1.0, section 8: every wallet can verify ES256. */
function parseKey(pem: string): KeyObject {
  const expected = 'expected a PEM file with a private key of the curve P-256';
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    // The message of OpenSSL could repeat a part of the key.
    throw new SettingError(names.key, `${expected}, received another content`);
  }
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new SettingError(names.key, `${expected}, received a key of another type`);
  return key;
}

function isSelfSigned(certificate: IssuerCertificate): boolean {
  return isIssuedBy(certificate, certificate);
}

function isIssuedBy({ x509 }: IssuerCertificate, issuer: IssuerCertificate): boolean {
  return x509.checkIssued(issuer.x509) && x509.verify(issuer.x509.publicKey);
}

function datesOf({ x509 }: IssuerCertificate): string {
  return [x509.validFromDate, x509.validToDate].map((date) => date.toISOString().slice(0, 10)).join(' to ');
}

function dnsNamesOf(subjectAltName = ''): readonly string[] {
  return subjectAltName.split(', ').flatMap((name) => (name.startsWith('DNS:') ? [name.slice(4).toLowerCase()] : []));
}

function wrongCertificate(expected: string): SettingError {
  return new SettingError(names.certificate, `expected ${expected}`);
}
