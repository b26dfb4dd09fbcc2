import type { Client } from '../auth/client.ts';
import { formatPurposeTexts } from '../auth/purpose-texts.ts';
import { formatInstant } from '../kernel/clock.ts';
import type { Secret } from '../kernel/secret.ts';

/** The printed form of a client, without hashes and keys. */
export function printableClient(client: Client, secret?: Secret) {
  const { credential, createdAt, disabledAt } = client;
  return {
    clientId: client.clientId,
    clientSecret: secret?.reveal(),
    name: client.name,
    kind: client.kind,
    scopes: client.scopes,
    proof: credential.by === 'issuer' ? credential.issuer : credential.by,
    jwksUri: credential.by === 'jwks-uri' ? credential.jwksUri : undefined,
    binding: client.binding,
    purposes: client.purposes,
    purposeTexts: client.purposeTexts && formatPurposeTexts(client.purposeTexts).join(', '),
    registrationCertificates: client.registrationCertificates && Object.keys(client.registrationCertificates),
    legalBases: client.legalBases,
    policy: client.policy,
    returnAddress: client.returnAddress?.join(', '),
    ...client.messages,
    quotaPerSecond: client.quota.perSecond,
    createdAt: formatInstant(createdAt),
    disabledAt: disabledAt === undefined ? undefined : formatInstant(disabledAt),
  };
}
