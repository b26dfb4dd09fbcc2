import { createPrivateKey, generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { sha256 } from '../../src/kernel/hashing.ts';
import { embedCbor, encodeCbor } from '../../src/wallet/formats/cbor.ts';
import type { ExpectedPresentation } from '../../src/wallet/formats/presented-credential.ts';
import { sessionTranscriptOf } from '../../src/wallet/formats/session-transcript.ts';
import { issueCertificate } from './certificates.ts';
import { bindToHolder, concealClaims, type Disclosure, signEs256 } from './sd-jwt-issuer.ts';

/** An issuer with its certificate (DER), and the key pair of a holder's device. */
type CredentialParties = {
  readonly certificate: Buffer;
  readonly issuerKey: KeyObject;
  readonly holderKey: KeyObject;
  readonly holderJwk: { readonly kty: string; readonly crv: string; readonly x: string; readonly y: string };
};

/** Creates an issuer below its own authority, and a holder. */
export async function createCredentialParties(): Promise<CredentialParties> {
  const authority = await issueCertificate('Test issuers', { ca: true });
  const issuer = await issueCertificate('Test issuer', { issuer: authority });
  const holder = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = holder.publicKey.export({ format: 'jwk' });
  return {
    certificate: new X509Certificate(issuer.certificate).raw,
    issuerKey: createPrivateKey(issuer.key),
    holderKey: holder.privateKey,
    holderJwk: { kty: 'EC', crv: 'P-256', x, y },
  };
}

/** The request of the tests: what a presentation must confirm. */
export const expectedPresentation: ExpectedPresentation = {
  clientId: 'x509_hash:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
  nonce: 'n-0S6_WzA2Mj-AAAAAAAAA',
  responseUri: 'https://wallet.example.gov/wallet/responses/handle',
  encryptionKeyThumbprint: new Uint8Array(32).fill(7),
  now: Date.parse('2026-06-01T12:00:00Z'),
};

const nowSeconds = expectedPresentation.now / 1_000;

/** The claims of a PID as SD-JWT VC. */
export const pidSdJwtClaims = {
  given_name: 'Erika',
  family_name: 'Mustermann',
  birthdate: '1984-01-17',
  place_of_birth: { locality: 'Berlin', country: 'DE' },
  nationalities: ['DE'],
  address: { street_address: 'Heidestraße', house_number: '17', postal_code: '51147', locality: 'Köln', country: 'DE' },
  issuing_country: 'DE',
  issuing_authority: 'DE',
  personal_administrative_number: '4711',
};

/** Differences from a valid SD-JWT presentation. Members replace the correct ones; undefined removes one. */
export type SdJwtChanges = {
  readonly header?: object;
  readonly payload?: object;
  readonly proof?: Readonly<Record<string, unknown>>;
  readonly proofHeader?: object;
  readonly issuerKey?: KeyObject;
  readonly holderKey?: KeyObject;
  /** Changes the disclosures after the issuer signed. The holder signs the result. */
  readonly disclosures?: (texts: readonly string[]) => readonly string[];
};

/** A presentation of the PID as SD-JWT VC, valid except for the changes. */
export function presentSdJwt(parties: CredentialParties, changes: SdJwtChanges = {}): string {
  const disclosed: Disclosure[] = [];
  const frame = { _sd: Object.keys(pidSdJwtClaims), nationalities: { _sd: [0] }, address: { _sd: ['country'] } };
  const claims = concealClaims(pidSdJwtClaims, frame, { disclosures: disclosed }) as object;
  const metadata = { vct: 'urn:eudi:pid:1', iat: nowSeconds - 86_400, exp: nowSeconds + 86_400, _sd_alg: 'sha-256' };
  const payload = { ...claims, ...metadata, cnf: { jwk: parties.holderJwk }, ...changes.payload };
  const header = { typ: 'dc+sd-jwt', x5c: [parties.certificate.toString('base64')], ...changes.header };
  const issuerJwt = signEs256(header, payload, changes.issuerKey ?? parties.issuerKey);
  const texts = disclosed.map(({ text }) => text);
  const presented = `${[issuerJwt, ...(changes.disclosures?.(texts) ?? texts)].join('~')}~`;
  const { clientId: aud, nonce } = expectedPresentation;
  const proof = { aud, nonce, iat: nowSeconds, ...changes.proof };
  const key = changes.holderKey ?? parties.holderKey;
  return bindToHolder(presented, proof, { key, header: changes.proofHeader ?? {} });
}

/** The elements of a PID as mdoc, each with its digest id. */
export const pidElements: readonly (readonly [string, unknown])[] = [
  ['given_name', 'Erika'],
  ['family_name', 'Mustermann'],
  ['birth_date', '1984-01-17'],
  ['place_of_birth', new Map([['locality', 'Berlin']])],
  ['nationality', ['DE', 'FR']],
  ['issuing_country', 'DE'],
];

/** Differences from a valid device response. */
export type MdocChanges = {
  readonly securityObject?: readonly (readonly [string, unknown])[];
  readonly issuerKey?: KeyObject;
  readonly holderKey?: KeyObject;
  readonly algorithm?: number;
  readonly unprotected?: ReadonlyMap<number, unknown>;
  readonly document?: readonly (readonly [string, unknown])[];
  readonly response?: readonly (readonly [string, unknown])[];
  /** Replace those of `pidElements` with the same name. */
  readonly elements?: readonly (readonly [string, unknown])[];
  /** Changes the items after the issuer signed their digests. */
  readonly items?: (items: readonly Uint8Array[]) => readonly Uint8Array[];
  /** Values of another session. */
  readonly session?: Partial<ExpectedPresentation>;
};

const pidType = 'eu.europa.ec.eudi.pid.1';
const emptyMap = Uint8Array.of(0xa0);

/** A device response with the PID as mdoc, valid except for the changes, in base64url. */
export function presentMdoc(parties: CredentialParties, changes: MdocChanges = {}): string {
  const elements = new Map([...pidElements, ...(changes.elements ?? [])]);
  const items = [...elements].map(([name, value], digestID) => {
    const members = [
      ['digestID', digestID],
      ['random', Buffer.alloc(16, digestID)],
    ] as const;
    return encodeCbor(new Map<string, unknown>([...members, ['elementIdentifier', name], ['elementValue', value]]));
  });
  const securityObject = securityObjectOf(parties, items, changes.securityObject ?? []);
  const certificate = new Map<number, unknown>([[33, parties.certificate]]);
  const issuerAuth = sign1(
    { payload: securityObject, algorithm: changes.algorithm ?? -7, key: changes.issuerKey ?? parties.issuerKey },
    { unprotected: changes.unprotected ?? certificate, isPayloadSent: true },
  );
  const sentItems = (changes.items?.(items) ?? items).map(embedCbor);
  const document = new Map<string, unknown>([
    ['docType', pidType],
    [
      'issuerSigned',
      new Map<string, unknown>([
        ['nameSpaces', new Map([[pidType, sentItems]])],
        ['issuerAuth', issuerAuth],
      ]),
    ],
    ['deviceSigned', deviceSignedOf(parties, changes)],
    ...(changes.document ?? []),
  ]);
  const response = new Map<string, unknown>([
    ['version', '1.0'],
    ['documents', [document]],
    ['status', 0],
  ]);
  for (const [name, value] of changes.response ?? []) response.set(name, value);
  return Buffer.from(encodeCbor(response)).toString('base64url');
}

function securityObjectOf(
  { holderJwk }: CredentialParties,
  items: readonly Uint8Array[],
  changes: readonly (readonly [string, unknown])[],
): Uint8Array {
  const digests = new Map(items.map((item, index) => [index, sha256(encodeCbor(embedCbor(item)))]));
  const point = [holderJwk.x, holderJwk.y].map((coordinate) => Buffer.from(coordinate, 'base64url'));
  const deviceKey = new Map<number, unknown>([
    [1, 2],
    [-1, 1],
    [-2, point[0]],
    [-3, point[1]],
  ]);
  const validity = new Map([
    ['signed', '2026-01-01T00:00:00Z'],
    ['validFrom', '2026-01-01T00:00:00Z'],
    ['validUntil', '2027-01-01T00:00:00Z'],
  ]);
  const object = new Map<string, unknown>([
    ['version', '1.0'],
    ['digestAlgorithm', 'SHA-256'],
    ['valueDigests', new Map([[pidType, digests]])],
    ['deviceKeyInfo', new Map([['deviceKey', deviceKey]])],
    ['docType', pidType],
    ['validityInfo', validity],
    ...changes,
  ]);
  return encodeCbor(embedCbor(encodeCbor(object)));
}

function deviceSignedOf({ holderKey }: CredentialParties, changes: MdocChanges): ReadonlyMap<string, unknown> {
  const transcript = sessionTranscriptOf({ ...expectedPresentation, ...changes.session });
  const authentication = encodeCbor(['DeviceAuthentication', transcript, pidType, embedCbor(emptyMap)]);
  const deviceSignature = sign1(
    { payload: encodeCbor(embedCbor(authentication)), algorithm: -7, key: changes.holderKey ?? holderKey },
    { unprotected: new Map(), isPayloadSent: false },
  );
  return new Map<string, unknown>([
    ['nameSpaces', embedCbor(emptyMap)],
    ['deviceAuth', new Map([['deviceSignature', deviceSignature]])],
  ]);
}

function sign1(
  { payload, algorithm, key }: { readonly payload: Uint8Array; readonly algorithm: number; readonly key: KeyObject },
  {
    unprotected,
    isPayloadSent,
  }: { readonly unprotected: ReadonlyMap<number, unknown>; readonly isPayloadSent: boolean },
): readonly unknown[] {
  const header = encodeCbor(new Map([[1, algorithm]]));
  const signed = encodeCbor(['Signature1', header, new Uint8Array(), payload]);
  return [
    header,
    unprotected,
    isPayloadSent ? payload : null,
    sign('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }),
  ];
}
