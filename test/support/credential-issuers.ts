import { createHash, createPrivateKey, webcrypto } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { BitString, Integer, ObjectIdentifier, OctetString, Utf8String } from 'asn1js';
import { CompactSign } from 'jose/jws/compact/sign';
import {
  AttributeTypeAndValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  Extension,
  ExtKeyUsage,
  Time,
} from 'pkijs';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const newPair = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
type Pair = Awaited<ReturnType<typeof newPair>>;

/** A certificate of an issuer of credentials, with its key. */
export type TestIssuer = {
  readonly name: string;
  readonly country: string | undefined;
  readonly der: Buffer;
  readonly pem: string;
  readonly pair: Pair;
  readonly keyId: Uint8Array;
};

/** The validity, issuer and extensions of a certificate. Without `ca`, it is a leaf that may sign. */
type TestIssuerOptions = {
  readonly issuer?: TestIssuer;
  readonly ca?: boolean;
  readonly pathLength?: number;
  readonly from?: string;
  readonly to?: string;
  /** Extended key usages, as object identifiers. */
  readonly purposes?: readonly string[];
  /** The first byte of the key usage; by default that of a CA or of a signer. */
  readonly keyUsage?: number;
  /** Adds a critical extension that no program knows. */
  readonly unknownCritical?: boolean;
  /** A certificate for an existing key, such as to issue two CAs for each other. */
  readonly pair?: Pair;
  /** The country in its subject. */
  readonly country?: string;
};

let serial = 100;

/** Issues a certificate; self-signed without `issuer`. */
export async function makeTestIssuer(name: string, options: TestIssuerOptions = {}): Promise<TestIssuer> {
  const { issuer, from = '2026-01-01', to = '2027-01-01', pair = await newPair() } = options;
  const spki = Buffer.from(await webcrypto.subtle.exportKey('spki', pair.publicKey));
  const keyId = new Uint8Array(createHash('sha1').update(spki).digest());
  serial += 1;
  const certificate = new Certificate({
    version: 2,
    serialNumber: new Integer({ value: serial }),
    notBefore: new Time({ value: new Date(`${from}T00:00:00Z`) }),
    notAfter: new Time({ value: new Date(`${to}T00:00:00Z`) }),
    extensions: extensionsOf(options, keyId),
  });
  const { country } = options;
  certificate.subject.typesAndValues.push(...distinguishedName(name, country));
  certificate.issuer.typesAndValues.push(...distinguishedName(issuer?.name ?? name, (issuer ?? options).country));
  await certificate.subjectPublicKeyInfo.importKey(pair.publicKey);
  await certificate.sign((issuer?.pair ?? pair).privateKey, 'SHA-256');
  const der = Buffer.from(certificate.toSchema(true).toBER(false));
  return { name, country, der, pem: pemOf('CERTIFICATE', der), pair, keyId };
}

function extensionsOf(options: TestIssuerOptions, keyId: Uint8Array): Extension[] {
  const { ca = false, pathLength, purposes, issuer, unknownCritical = false } = options;
  const keyUsage = options.keyUsage ?? (ca ? 0x06 : 0x80);
  const bits = new BitString({ valueHex: Uint8Array.of(keyUsage).buffer, unusedBits: (keyUsage & 0x06) === 0 ? 7 : 1 });
  const list = [
    extension('2.5.29.15', true, bits.toBER(false)),
    extension('2.5.29.14', false, new OctetString({ valueHex: new Uint8Array(keyId).buffer }).toBER(false)),
  ];
  const constraints = { cA: true, ...(pathLength === undefined ? {} : { pathLenConstraint: pathLength }) };
  if (ca) list.push(extension('2.5.29.19', true, new BasicConstraints(constraints).toSchema().toBER(false)));
  if (purposes !== undefined)
    list.push(extension('2.5.29.37', true, new ExtKeyUsage({ keyPurposes: [...purposes] }).toSchema().toBER(false)));
  if (issuer !== undefined) {
    const keyIdentifier = new OctetString({ valueHex: new Uint8Array(issuer.keyId).buffer });
    list.push(extension('2.5.29.35', false, new AuthorityKeyIdentifier({ keyIdentifier }).toSchema().toBER(false)));
  }
  if (unknownCritical)
    list.push(extension('1.2.3.4.5', true, new ObjectIdentifier({ value: '1.2.3.4.6' }).toBER(false)));
  return list;
}

function extension(extnID: string, critical: boolean, extnValue: ArrayBuffer): Extension {
  return new Extension({ extnID, critical, extnValue });
}

function distinguishedName(name: string, country: string | undefined): AttributeTypeAndValue[] {
  const attributes = [...(country === undefined ? [] : [['2.5.4.6', country] as const]), ['2.5.4.3', name] as const];
  return attributes.map(([type, value]) => new AttributeTypeAndValue({ type, value: new Utf8String({ value }) }));
}

/** A PEM block. */
export function pemOf(label: string, der: Uint8Array): string {
  const lines = Buffer.from(der).toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}

/** The private key of an issuer in PEM. */
export async function keyPemOf({ pair }: TestIssuer): Promise<string> {
  return pemOf('PRIVATE KEY', Buffer.from(await webcrypto.subtle.exportKey('pkcs8', pair.privateKey)));
}

/** A compact JWS with ES256, whose `x5c` has the certificates of this signer and of `others`. */
export async function signWithChain(
  payload: object,
  header: Readonly<Record<string, unknown>>,
  [signer, ...others]: readonly [TestIssuer, ...TestIssuer[]],
): Promise<string> {
  const x5c = [signer, ...others].map(({ der }) => der.toString('base64'));
  return await new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'ES256', x5c, ...header })
    .sign(createPrivateKey(await keyPemOf(signer)), { crit: { sigT: true } });
}

/** A Status List Token with one byte for each status. `times` has `iat`, and optionally `exp` and `ttl`, in seconds. */
export async function signStatusList(
  signers: readonly [TestIssuer, ...TestIssuer[]],
  uri: string,
  statuses: readonly number[],
  times: { readonly iat: number; readonly exp?: number; readonly ttl?: number },
): Promise<string> {
  const lst = deflateSync(Uint8Array.from(statuses)).toString('base64url');
  return await signWithChain({ sub: uri, ...times, status_list: { bits: 8, lst } }, { typ: 'statuslist+jwt' }, signers);
}

/** The content of a list of trusted entities (ETSI TS 119 602): for each entity, certificates by the last part of the service type. */
export function makeEntityList(
  entities: Readonly<Record<string, Readonly<Record<string, readonly TestIssuer[]>>>>,
  { sequence = 1, nextUpdate = '2026-12-01T00:00:00Z' } = {},
): object {
  return {
    LoTE: {
      ListAndSchemeInformation: {
        LoTEVersionIdentifier: 1,
        LoTESequenceNumber: sequence,
        LoTEType: 'http://uri.etsi.org/19602/LoTEType/EUPIDProvidersList',
        SchemeOperatorName: [{ lang: 'en', value: 'Test operator' }],
        ListIssueDateTime: '2026-06-01T00:00:00Z',
        NextUpdate: nextUpdate,
      },
      TrustedEntitiesList: Object.entries(entities).map(([name, services]) => ({
        TrustedEntityInformation: { TEName: [{ lang: 'en', value: name }] },
        TrustedEntityServices: Object.entries(services).map(([type, issuers]) => ({
          ServiceInformation: {
            ServiceName: [{ lang: 'en', value: type }],
            ServiceTypeIdentifier: `http://uri.etsi.org/19602/SvcType/${type}`,
            ServiceDigitalIdentity: { X509Certificates: issuers.map(({ der }) => ({ val: der.toString('base64') })) },
          },
        })),
      })),
    },
  };
}
