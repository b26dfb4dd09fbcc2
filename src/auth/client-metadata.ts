import { X509Certificate } from 'node:crypto';
import type { AdapterPayload } from 'oidc-provider';
import type { Client } from './client.ts';
import type { CertificateProof } from './client-certificate.ts';

/**
 * A client in the words of RFC 7591 and RFC 8705; undefined for one that does not exist, is disabled, belongs to another
 * issuer, or has a secret where none are taken. `placeholder` stands where the library wants a secret that it is not given.
 */
export function clientMetadata(
  client: Client | undefined,
  { placeholder, secrets }: { readonly placeholder: string; readonly secrets: boolean },
): AdapterPayload | undefined {
  if (client === undefined || client.disabledAt !== undefined) return undefined;
  const { clientId, credential, binding } = client;
  const common = {
    client_id: clientId,
    redirect_uris: [],
    allowed_scopes: client.scopes.join(' '),
    dpop_bound_access_tokens: binding === 'dpop',
    tls_client_certificate_bound_access_tokens: binding === 'mtls',
  };
  switch (credential.by) {
    case 'secret': {
      if (!secrets) return undefined;
      const hash = Buffer.from(credential.hash).toString('hex');
      return {
        ...common,
        token_endpoint_auth_method: 'client_secret_basic',
        client_secret: placeholder,
        secret_hash: hash,
      };
    }
    case 'keys':
      return { ...common, token_endpoint_auth_method: 'private_key_jwt', jwks: credential.jwks };
    case 'certificate':
      return { ...common, ...byCertificate(credential.certificate) };
    case 'issuer':
      return undefined;
  }
}

function byCertificate(certificate: CertificateProof): AdapterPayload {
  switch (certificate.kind) {
    case 'pinned': {
      const { publicKey } = new X509Certificate(Buffer.from(certificate.der, 'base64'));
      const key = { ...publicKey.export({ format: 'jwk' }), use: 'sig', x5c: [certificate.der] };
      return { token_endpoint_auth_method: 'self_signed_tls_client_auth', jwks: { keys: [key] } };
    }
    case 'named':
      return {
        token_endpoint_auth_method: 'tls_client_auth',
        [`tls_client_auth_san_${certificate.name}`]: certificate.value,
      };
  }
}
