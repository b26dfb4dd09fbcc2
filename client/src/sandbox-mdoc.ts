import { createHash, createPrivateKey, type KeyObject, randomBytes } from 'node:crypto';
import { type CborValue, embeddedCbor, toCbor } from './cbor-encoding.ts';
import type { PidAttributes } from './sandbox-people.ts';
import {
  type DcqlPath,
  es256,
  isSelected,
  issuerOf,
  newHolder,
  type PidPresentation,
  statusOf,
  validityOf,
} from './sandbox-pid.ts';

/** The namespace and document type of a PID (PID Rulebook 1.7, section 3). */
export const mdocPidType = 'eu.europa.ec.eudi.pid.1';

const fullDateTag = 1004;
const certificatesLabel = 33;
const es256Header = toCbor(new Map([[1, -7]]));

/** The elements of a PID as mdoc (PID Rulebook 1.7, section 3.1.2). */
export function mdocElementsOf(attributes: PidAttributes): ReadonlyMap<string, CborValue> {
  const { address, place_of_birth: birthPlace } = attributes;
  const elements: readonly (readonly [string, CborValue | undefined])[] = [
    ['given_name', attributes.given_name],
    ['family_name', attributes.family_name],
    ['birth_date', { tag: fullDateTag, value: attributes.birthdate }],
    ['place_of_birth', new Map(Object.entries(birthPlace))],
    ['nationality', attributes.nationalities],
    ['resident_street', address['street_address']],
    ['resident_postal_code', address['postal_code']],
    ['resident_city', address['locality']],
    ['resident_country', address['country']],
    ['issuing_country', attributes.issuing_country],
    ['issuing_authority', attributes.issuing_authority],
    ['personal_administrative_number', attributes.personal_administrative_number],
  ];
  return new Map(elements.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Issues a PID as mdoc, and presents it with the signature of the device: a device response in base64url (OpenID4VP 1.0, appendix B.2). */
export function presentMdocPid(pid: PidPresentation): string {
  const items = [...mdocElementsOf(pid.attributes)].map(([name, value], digestID) => ({
    name,
    digestID,
    encoded: embeddedCbor(itemOf(name, value, digestID)),
  }));
  const digests = new Map(items.map(({ digestID, encoded }) => [digestID, sha256(toCbor(encoded))]));
  const holder = newHolder(pid);
  const type = pid.fault === 'wrong-type' ? `${pid.type}.other` : pid.type;
  const shown = items.filter(({ name }) => isSelected([mdocPidType, name], pid.paths));
  const [first] = shown;
  const sent = shown.map((item) =>
    pid.fault === 'changed-attribute' && item === first
      ? embeddedCbor(itemOf(item.name, 'Changed', item.digestID))
      : item.encoded,
  );
  const document = new Map<string, CborValue>([
    ['docType', type],
    [
      'issuerSigned',
      new Map<string, CborValue>([
        ['nameSpaces', new Map([[mdocPidType, sent]])],
        ['issuerAuth', signByIssuer(pid, securityObjectOf(pid, { type, digests, holder }))],
      ]),
    ],
    ...(pid.fault === 'no-proof' ? [] : [['deviceSigned', signByDevice(pid, type, holder.key)] as const]),
  ]);
  const response = new Map<string, CborValue>([
    ['version', '1.0'],
    ['documents', [document]],
    ['status', 0],
  ]);
  return toCbor(response).toString('base64url');
}

function itemOf(name: string, value: CborValue, digestID: number): CborValue {
  return new Map<string, CborValue>([
    ['digestID', digestID],
    ['random', randomBytes(16)],
    ['elementIdentifier', name],
    ['elementValue', value],
  ]);
}

type Issued = {
  readonly type: string;
  readonly digests: ReadonlyMap<number, Uint8Array>;
  readonly holder: ReturnType<typeof newHolder>;
};

/** The mobile security object (ISO 18013-5, section 9.1.2.4). */
function securityObjectOf(pid: PidPresentation, { type, digests, holder: { jwk } }: Issued): CborValue {
  const { from, until } = validityOf(pid);
  const status = statusOf(pid);
  const at = (seconds: number) => ({ tag: 0, value: `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z` });
  const deviceKey = new Map<number, CborValue>([
    [1, 2],
    [-1, 1],
    [-2, Buffer.from(jwk.x, 'base64url')],
    [-3, Buffer.from(jwk.y, 'base64url')],
  ]);
  const validity = [
    ['signed', at(from)],
    ['validFrom', at(from)],
    ['validUntil', at(until)],
  ] as const;
  return new Map<string, CborValue>([
    ['version', '1.0'],
    ['digestAlgorithm', 'SHA-256'],
    ['valueDigests', new Map([[mdocPidType, digests]])],
    ['deviceKeyInfo', new Map([['deviceKey', deviceKey]])],
    ['docType', type],
    ['validityInfo', new Map(validity)],
    ...(status === undefined
      ? []
      : [['status', new Map([['status_list', new Map<string, CborValue>(Object.entries(status))]])] as const]),
  ]);
}

function signByIssuer(pid: PidPresentation, securityObject: CborValue): CborValue {
  const { chain, privateKey } = issuerOf(pid);
  const [leaf = Buffer.alloc(0), ...others] = chain.map((der) => Buffer.from(der, 'base64'));
  const payload = toCbor(embeddedCbor(securityObject));
  const signature = coseSignature(payload, createPrivateKey({ key: privateKey, format: 'jwk' }));
  // One certificate is a byte string, several are an array (RFC 9360).
  return [
    es256Header,
    new Map([[certificatesLabel, others.length === 0 ? leaf : [leaf, ...others]]]),
    payload,
    signature,
  ];
}

/** The signature of the device over this session (OpenID4VP 1.0, appendix B.2.6.1; ISO 18013-5, section 9.1.3). */
function signByDevice(pid: PidPresentation, type: string, key: KeyObject): CborValue {
  const { fault } = pid;
  const handoverInfo = [
    fault === 'wrong-audience' ? 'x509_hash:another-verifier' : pid.clientId,
    fault === 'wrong-nonce' ? `${pid.nonce}-other` : pid.nonce,
    pid.keyThumbprint,
    fault === 'wrong-response-uri' ? `${pid.responseUri}/other` : pid.responseUri,
  ];
  const transcript = [null, null, ['OpenID4VPHandover', sha256(toCbor(handoverInfo))]];
  const nameSpaces = embeddedCbor(new Map());
  const authentication = toCbor(embeddedCbor(['DeviceAuthentication', transcript, type, nameSpaces]));
  const signature: CborValue = [es256Header, new Map(), null, coseSignature(authentication, key)];
  return new Map<string, CborValue>([
    ['nameSpaces', nameSpaces],
    ['deviceAuth', new Map([['deviceSignature', signature]])],
  ]);
}

/** The signature of COSE_Sign1 (RFC 9052, section 4.4). */
function coseSignature(payload: Uint8Array, key: KeyObject): Buffer {
  return es256(toCbor(['Signature1', es256Header, Buffer.alloc(0), payload]), key);
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** The value at a path of DCQL, undefined if the person does not have it. */
export function mdocValueAt(attributes: PidAttributes, [nameSpace, element]: DcqlPath): CborValue | undefined {
  return nameSpace === mdocPidType ? mdocElementsOf(attributes).get(element ?? '') : undefined;
}
