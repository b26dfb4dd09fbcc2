import { decidePresentedClaims, type PresentationDecision } from '../../src/identity/decide-presented-claims.ts';
import { euPolicy } from '../../src/identity/match/policy.ts';
import type { AttestedClaims } from '../../src/identity/verification/attested-claims.ts';
import type { IdentityPorts } from '../../src/identity/verification/ports.ts';
import { type IdentityApp, identityAppStartMs } from './identity-app.ts';

/** The mandatory person identification data of a wallet (EU 2024/2977, Annex, section 1) as this register has them. */
export const walletPerson = {
  givenName: 'Ana Maria',
  familyName: 'García-López',
  birthDate: '1990-11-30',
  birthPlace: 'Málaga',
  nationality: 'ES',
};

/** A checked presentation of these claims. */
export function attestedClaims(claims: object, over: Partial<AttestedClaims> = {}): AttestedClaims {
  return {
    clientId: 'permits',
    claims: { ...claims },
    purpose: 'residence-permit',
    nonce: 'n-1',
    assurance: { framework: 'eidas', level: 'high' },
    evidence: {
      credentialType: 'urn:eudi:pid:1',
      format: 'dc+sd-jwt',
      issuer: 'CN=PID Provider',
      issuingCountry: 'ES',
      certificateDigest: Buffer.alloc(32, 9).toString('base64url'),
    },
    isAdministrativeNumberCitizenId: false,
    ...over,
  };
}

/** Decides and commits a presentation; by default with the policy eu-2025-846. */
export async function presentClaims(
  { db, ports, importDeps }: IdentityApp,
  attested: AttestedClaims,
  over: Partial<IdentityPorts> = {},
): Promise<PresentationDecision> {
  const decided = await decidePresentedClaims(
    attested,
    { now: identityAppStartMs, createId: importDeps.createId },
    { read: db.read, ports: { ...ports, policyOf: () => euPolicy, ...over } },
  );
  await importDeps.commit(decided.effect);
  return decided;
}
