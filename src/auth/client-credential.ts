import { hash, X509Certificate } from 'node:crypto';
import type { Client, Credential } from './client.ts';
import type { CertificateProof } from './client-certificate.ts';

/** The kinds of credentials. */
export const credentialKinds = ['secret', 'key', 'certificate', 'certificate-name', 'issuer'] as const;

/** A credential without anything secret. `id`: the `kid` of a key, the thumbprint or name of a certificate, the URL of an issuer. */
type CredentialSummary = {
  readonly id: string;
  readonly kind: (typeof credentialKinds)[number];
  /** Epoch ms; undefined if it does not expire. */
  readonly expiresAt: number | undefined;
};

/** The id of the one secret of a client. */
const secretCredentialId = 'secret';

/** The credentials that a client is registered with. A client with a `jwks_uri` publishes its keys itself, so it has none here. */
export function credentialsOf({ credential }: Pick<Client, 'credential'>): readonly CredentialSummary[] {
  switch (credential.by) {
    case 'secret':
      return [{ id: secretCredentialId, kind: 'secret', expiresAt: undefined }];
    case 'keys':
      return credential.jwks.keys.map(({ kid }) => ({ id: kid, kind: 'key', expiresAt: undefined }));
    case 'jwks-uri':
      return [];
    case 'certificate':
      return [certificateSummaryOf(credential.certificate)];
    case 'issuer':
      return [{ id: credential.issuer, kind: 'issuer', expiresAt: undefined }];
  }
}

function certificateSummaryOf(proof: CertificateProof): CredentialSummary {
  if (proof.kind === 'named')
    return { id: `${proof.name}:${proof.value}`, kind: 'certificate-name', expiresAt: undefined };
  const x509 = new X509Certificate(Buffer.from(proof.der, 'base64'));
  const id = hash('sha256', x509.raw, 'base64url');
  return { id, kind: 'certificate', expiresAt: x509.validToDate.getTime() };
}

/** The credential that a client with a secret or a certificate has used. */
export function usedCredentialId(credential: Exclude<Credential, { readonly by: 'keys' | 'jwks-uri' }>): string {
  return credentialsOf({ credential })[0]?.id ?? secretCredentialId;
}
