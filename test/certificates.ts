import { webcrypto } from 'node:crypto';
import * as asn1js from 'asn1js';
import * as pkijs from 'pkijs';

/** A certificate with its key, both in PEM. */
export type Issued = { readonly certificate: string; readonly key: string };
type Pair = Awaited<ReturnType<typeof newPair>>;
export type Authority = Issued & { readonly name: string; readonly pair: Pair };

/** What a certificate of a test says of itself. */
export type Wanted = {
  readonly dns?: string;
  readonly ip?: readonly number[];
  readonly by?: Authority;
  /** For an authority. */
  readonly ca?: boolean;
  /** For servers, or for clients by default. */
  readonly use?: 'server' | 'client';
  readonly notBefore?: Date;
  readonly notAfter?: Date;
};

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const newPair = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
const dayMs = 86_400_000;
let serial = 0;

const extension = (extnID: string, critical: boolean, value: { toSchema(): asn1js.BaseBlock }) =>
  new pkijs.Extension({ extnID, critical, extnValue: value.toSchema().toBER(false) });
const called = (name: string) =>
  new pkijs.AttributeTypeAndValue({ type: '2.5.4.3', value: new asn1js.Utf8String({ value: name }) });
const pem = (label: string, der: ArrayBuffer) => {
  const lines = Buffer.from(der).toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
};

/** Makes a certificate, self-signed where there is no authority. */
export async function issue(name: string, wanted: Wanted = {}): Promise<Authority> {
  const { by, ca = false, use = 'client', notAfter = new Date(Date.now() + dayMs) } = wanted;
  const { notBefore = new Date(Date.now() - 2 * dayMs) } = wanted;
  const pair = await newPair();
  serial += 1;
  const made = new pkijs.Certificate({
    version: 2,
    serialNumber: new asn1js.Integer({ value: serial }),
    notBefore: new pkijs.Time({ value: notBefore }),
    notAfter: new pkijs.Time({ value: notAfter }),
    extensions: extensionsOf(wanted, ca, use),
  });
  made.subject.typesAndValues.push(called(name));
  made.issuer.typesAndValues.push(called(by?.name ?? name));
  await made.subjectPublicKeyInfo.importKey(pair.publicKey);
  await made.sign((by?.pair ?? pair).privateKey, 'SHA-256');
  const key = pem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', pair.privateKey));
  return { certificate: pem('CERTIFICATE', made.toSchema(true).toBER(false)), key, name, pair };
}

function extensionsOf({ dns, ip }: Wanted, ca: boolean, use: 'server' | 'client'): pkijs.Extension[] {
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
