import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { compactVerify } from 'jose/jws/compact/verify';
import { parseJsonFile } from '../../config/parse-json-file.ts';
import { isObject } from '../../kernel/is-object.ts';
import { isUsable } from './certificate-chain.ts';
import { type IssuerCertificate, parseIssuerCertificate } from './issuer-certificate.ts';
import { type ListedEntity, type ListedService, listShape } from './list-shape.ts';

/** An issuer of credentials with its anchors. `revoking` sign its status lists. Without any, those of `issuing` do. */
export type TrustedEntity = {
  /** Undefined for the certificates of a PEM file: their subjects name them. */
  readonly name: string | undefined;
  readonly issuing: readonly IssuerCertificate[];
  readonly revoking: readonly IssuerCertificate[];
};

/** The content of a valid list. From `nextUpdate` on (epoch ms) it must not be used. */
export type TrustedEntityList = {
  readonly sequenceNumber: number;
  readonly nextUpdate: number;
  readonly entities: readonly TrustedEntity[];
};

/** The largest list that is read. The lists of the EU have less than 1 MiB. */
export const maxListBytes = 8 * 1_048_576;

const signatureAlgorithms = ['ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'];

/**
 * Opens a signed list: a compact JWS whose `x5c` begins with one of the configured certificates. Throws a TypeError with the fault. Other
 * certificates are refused, even with a chain to a trusted CA: the operator of a list announces its certificates.
 */
export async function openSignedEntityList(
  jws: string,
  signers: readonly IssuerCertificate[],
  now: number,
): Promise<TrustedEntityList> {
  const signer = findSigner(jws.trim(), signers);
  if (signer === undefined || !isUsable(signer, now))
    throw new TypeError(
      'expected a JWS signed by a configured certificate that is valid now, received another text or signer',
    );
  try {
    // JAdES lists have the critical member `sigT`, a time that changes nothing for the reader.
    const options = { algorithms: signatureAlgorithms, crit: { sigT: true } };
    const { payload } = await compactVerify(jws.trim(), signer.x509.publicKey, options);
    return parseEntityList(Buffer.from(payload).toString('utf8'));
  } catch (cause) {
    if (cause instanceof TypeError) throw cause;
    throw new TypeError('expected a list with a valid signature, received one that does not verify', { cause });
  }
}

function findSigner(jws: string, signers: readonly IssuerCertificate[]): IssuerCertificate | undefined {
  try {
    const der = decodeProtectedHeader(jws).x5c?.[0];
    return signers.find(({ x509 }) => der !== undefined && x509.raw.equals(Buffer.from(der, 'base64')));
  } catch (fault) {
    if (fault instanceof TypeError) return undefined;
    throw fault;
  }
}

/** Parses a list without a signature. Throws a TypeError that names the first invalid member. */
export function parseEntityList(json: string): TrustedEntityList {
  const { LoTE } = parseJsonFile(listShape, json);
  const { LoTESequenceNumber, NextUpdate, SchemeExtensions } = LoTE.ListAndSchemeInformation;
  if (hasCritical(SchemeExtensions))
    throw new TypeError('expected no critical extension of the list, received one that this program does not know');
  return {
    sequenceNumber: LoTESequenceNumber,
    nextUpdate: Date.parse(NextUpdate),
    entities: (LoTE.TrustedEntitiesList ?? []).map(entityOf),
  };
}

function entityOf({ TrustedEntityInformation, TrustedEntityServices }: ListedEntity): TrustedEntity {
  const { TEName, TEInformationExtensions } = TrustedEntityInformation;
  const granted = TrustedEntityServices.map(({ ServiceInformation }) => ServiceInformation).filter(isGranted);
  const services = hasCritical(TEInformationExtensions) ? [] : granted;
  const certificatesOf = (activity: string) =>
    services.filter((service) => activityOf(service) === activity).flatMap(certificatesIn);
  return {
    name: (TEName.find(({ lang }) => lang.startsWith('en')) ?? TEName[0])?.value,
    issuing: certificatesOf('Issuance'),
    revoking: certificatesOf('Revocation'),
  };
}

/** A service without a status is granted: the lists of PID providers have none (annex D), and leave out services that have ended. */
function isGranted({ ServiceStatus, ServiceInformationExtensions }: ListedService): boolean {
  return (
    (ServiceStatus === undefined || ServiceStatus.endsWith('/granted')) && !hasCritical(ServiceInformationExtensions)
  );
}

/** The end of the type identifier. The certificates of wallets and of relying parties have lists of the same form: they issue no credentials. */
function activityOf({ ServiceTypeIdentifier = '' }: ListedService): string | undefined {
  return /\/SvcType\/(?!WalletSolution\/|WRPAC\/|WRPRC\/)[^/]+\/(Issuance|Revocation)$/.exec(
    ServiceTypeIdentifier,
  )?.[1];
}

function certificatesIn({ ServiceDigitalIdentity }: ListedService): readonly IssuerCertificate[] {
  const certificates = ServiceDigitalIdentity?.X509Certificates ?? [];
  return certificates.map(({ val }) => parseIssuerCertificate(Buffer.from(val, 'base64')));
}

function hasCritical(extensions: readonly unknown[] = []): boolean {
  return extensions.some((extension) => isObject(extension) && extension['Critical'] === true);
}
