import { X509Certificate } from 'node:crypto';
import { BasicConstraints, Certificate, type RelativeDistinguishedNames } from 'pkijs';
import { createLruCache } from '../../kernel/lru-cache.ts';

// node:crypto checks signatures and names. It does not show the extensions, so pkijs parses them. Import this module dynamically: a server
// without wallets does not need pkijs.

/** A certificate with the facts that the check of a chain needs (RFC 5280, section 4.2). */
export type IssuerCertificate = {
  readonly x509: X509Certificate;
  /** The subject key identifier in base64url; undefined if the certificate has none. */
  readonly keyId: string | undefined;
  /** The country of its subject (ISO 3166-1 alpha-2); undefined if it has none, or several. */
  readonly country: string | undefined;
  /** How many CA certificates may follow this one in a chain; undefined without a limit. */
  readonly pathLength: number | undefined;
  /** Whether a CA may issue it for credentials: it may sign, and it is not a certificate for TLS, mail or code only. */
  readonly maySignCredentials: boolean;
  /** Whether it has a critical extension that this program does not process. RFC 5280 demands that such a certificate is rejected. */
  readonly hasUnknownCriticalExtension: boolean;
};

const countryAttribute = '2.5.4.6';
const oid = {
  keyUsage: '2.5.29.15',
  subjectKeyId: '2.5.29.14',
  subjectAltName: '2.5.29.17',
  issuerAltName: '2.5.29.18',
  basicConstraints: '2.5.29.19',
  crlDistributionPoints: '2.5.29.31',
  certificatePolicies: '2.5.29.32',
  authorityKeyId: '2.5.29.35',
  extKeyUsage: '2.5.29.37',
} as const;
/** Name constraints and policy constraints are not among these, so a CA with critical ones is rejected. */
const processedExtensions: ReadonlySet<string> = new Set(Object.values(oid));

/** Purposes of RFC 5280, section 4.2.1.12: TLS servers and clients, code, mail, time stamps, OCSP. None is for credentials. */
const otherPurposePattern = /^1\.3\.6\.1\.5\.5\.7\.3\.[123489]$/;

const maxCertificateBytes = 16_384;
const parsed = createLruCache<IssuerCertificate>(256);

/** Parses a certificate in DER. Throws a TypeError if it is none, or has more than 16 KiB. */
export function parseIssuerCertificate(der: Uint8Array): IssuerCertificate {
  if (der.length > maxCertificateBytes)
    throw new TypeError(`expected a certificate of at most ${maxCertificateBytes} bytes`);
  const key = Buffer.from(der).toString('base64');
  const known = parsed.get(key);
  if (known !== undefined) return known;
  const certificate = parseDer(der);
  parsed.set(key, certificate);
  return certificate;
}

/** Parses the certificates of a PEM file. Throws a TypeError if it has none, or an invalid one. */
export function parseIssuerCertificates(pem: string): readonly IssuerCertificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new TypeError('expected one or more certificates as PEM, received none');
  return blocks.map((block) => parseIssuerCertificate(Buffer.from(block.replaceAll(/-----[^-]+-----/g, ''), 'base64')));
}

function parseDer(der: Uint8Array): IssuerCertificate {
  try {
    const x509 = new X509Certificate(der);
    // The library needs an ArrayBuffer. Bytes after the certificate are not part of `x509.raw`.
    const { subject, extensions = [] } = Certificate.fromBER(new Uint8Array(x509.raw).buffer);
    const find = (id: string): unknown => extensions.find(({ extnID }) => extnID === id)?.parsedValue;
    const constraints = find(oid.basicConstraints);
    const { pathLenConstraint } = constraints instanceof BasicConstraints ? constraints : {};
    return {
      x509,
      keyId: keyIdIn(find(oid.subjectKeyId)),
      country: countryIn(subject),
      pathLength: typeof pathLenConstraint === 'number' ? pathLenConstraint : undefined,
      maySignCredentials: maySign(find(oid.keyUsage)) && !isForOtherPurposes(x509.keyUsage),
      hasUnknownCriticalExtension: extensions.some(
        ({ critical, extnID }) => critical && !processedExtensions.has(extnID),
      ),
    };
  } catch (cause) {
    throw new TypeError('expected X.509 certificates, received one that cannot be read', { cause });
  }
}

function countryIn({ typesAndValues }: RelativeDistinguishedNames): string | undefined {
  const [country, ...others] = typesAndValues.filter(({ type }) => type === countryAttribute);
  const value: unknown = others.length === 0 ? country?.value.valueBlock.value : undefined;
  return typeof value === 'string' ? value : undefined;
}

function keyIdIn(value: unknown): string | undefined {
  const bytes = bytesIn(value);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('base64url');
}

/** Whether the bit `digitalSignature` is set. A certificate without key usage may sign (RFC 5280, section 4.2.1.3). */
function maySign(keyUsage: unknown): boolean {
  if (keyUsage === undefined) return true;
  return ((bytesIn(keyUsage)?.[0] ?? 0) & 0x80) !== 0;
}

/** Whether a certificate has extended key usages, and none that could be for credentials. `x509.keyUsage` has the extended ones. */
function isForOtherPurposes(purposes: readonly string[] | undefined): boolean {
  return (
    purposes !== undefined && purposes.length > 0 && purposes.every((purpose) => otherPurposePattern.test(purpose))
  );
}

/** The content of an OCTET STRING or BIT STRING of asn1js. */
function bytesIn(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'object' || value === null || !('valueBlock' in value)) return undefined;
  const { valueBlock } = value;
  if (typeof valueBlock !== 'object' || valueBlock === null || !('valueHexView' in valueBlock)) return undefined;
  const { valueHexView } = valueBlock;
  return valueHexView instanceof Uint8Array ? valueHexView : undefined;
}
