import { webcrypto } from 'node:crypto';
import * as asn1js from 'asn1js';
import * as pkijs from 'pkijs';

/** A certificate with its key, both in PEM. */
export type PemCertificate = { readonly certificate: string; readonly key: string };
type CertificateKeyPair = Awaited<ReturnType<typeof newKeyPair>>;
export type CertificateAuthority = PemCertificate & { readonly name: string; readonly pair: CertificateKeyPair };

/** The names, issuer, usage and validity of a test certificate. */
type CertificateOptions = {
  readonly dns?: string;
  readonly ip?: readonly number[];
  readonly issuer?: CertificateAuthority;
  /** Makes it the certificate of an authority. */
  readonly ca?: boolean;
  /** The extended key usage; clients by default. */
  readonly use?: 'server' | 'client';
  readonly notBefore?: Date;
  readonly notAfter?: Date;
};

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const newKeyPair = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
const dayMs = 86_400_000;
let serial = 0;

const extension = (extnID: string, critical: boolean, value: { toSchema(): asn1js.BaseBlock }) =>
  new pkijs.Extension({ extnID, critical, extnValue: value.toSchema().toBER(false) });
const commonName = (name: string) =>
  new pkijs.AttributeTypeAndValue({ type: '2.5.4.3', value: new asn1js.Utf8String({ value: name }) });
const pem = (label: string, der: ArrayBuffer) => {
  const lines = Buffer.from(der).toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
};

/** Issues a certificate; self-signed without `issuer`. */
export async function issueCertificate(name: string, options: CertificateOptions = {}): Promise<CertificateAuthority> {
  const { issuer, ca = false, use = 'client', notAfter = new Date(Date.now() + dayMs) } = options;
  const { notBefore = new Date(Date.now() - 2 * dayMs) } = options;
  const pair = await newKeyPair();
  serial += 1;
  const newCertificate = new pkijs.Certificate({
    version: 2,
    serialNumber: new asn1js.Integer({ value: serial }),
    notBefore: new pkijs.Time({ value: notBefore }),
    notAfter: new pkijs.Time({ value: notAfter }),
    extensions: certificateExtensions(options, ca, use),
  });
  newCertificate.subject.typesAndValues.push(commonName(name));
  newCertificate.issuer.typesAndValues.push(commonName(issuer?.name ?? name));
  await newCertificate.subjectPublicKeyInfo.importKey(pair.publicKey);
  await newCertificate.sign((issuer?.pair ?? pair).privateKey, 'SHA-256');
  const key = pem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', pair.privateKey));
  return { certificate: pem('CERTIFICATE', newCertificate.toSchema(true).toBER(false)), key, name, pair };
}

function certificateExtensions(
  { dns, ip }: CertificateOptions,
  ca: boolean,
  use: 'server' | 'client',
): pkijs.Extension[] {
  const list = [extension('2.5.29.19', true, new pkijs.BasicConstraints({ cA: ca }))];
  const purpose = use === 'server' ? '1.3.6.1.5.5.7.3.1' : '1.3.6.1.5.5.7.3.2';
  if (!ca) list.push(extension('2.5.29.37', false, new pkijs.ExtKeyUsage({ keyPurposes: [purpose] })));
  const names = [
    ...(dns === undefined ? [] : [new pkijs.GeneralName({ type: 2, value: dns })]),
    ...(ip === undefined
      ? []
      : [new pkijs.GeneralName({ type: 7, value: new asn1js.OctetString({ valueHex: Uint8Array.from(ip).buffer }) })]),
  ];
  if (names.length > 0) list.push(extension('2.5.29.17', false, new pkijs.AltName({ altNames: names })));
  return list;
}
