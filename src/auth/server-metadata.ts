import { tokenPath } from './access-token.ts';
import { authMethodsOf } from './authenticate-client.ts';
import { acceptedAlgs } from './client-keys.ts';

/** The facts about this server that the metadata documents contain; `publicUrl` without a slash at the end. */
export type MetadataOptions = {
  readonly publicUrl: string;
  readonly scopes: readonly string[];
  readonly trustedIssuers: readonly string[];
};

/** `/.well-known/oauth-protected-resource/v1` (RFC 9728): where clients get a token for the interface. */
export function protectedResourceMetadata({
  publicUrl,
  scopes,
  trustedIssuers,
}: MetadataOptions): Record<string, unknown> {
  return {
    resource: `${publicUrl}/v1`,
    resource_name: 'citizen-services',
    authorization_servers: [publicUrl, ...trustedIssuers],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    jwks_uri: `${publicUrl}/.well-known/jwks.json`,
    resource_signing_alg_values_supported: ['ES256'],
    resource_documentation: `${publicUrl}/docs`,
    dpop_signing_alg_values_supported: acceptedAlgs,
    dpop_bound_access_tokens_required: false,
    tls_client_certificate_bound_access_tokens: true,
  };
}

/** `/.well-known/oauth-authorization-server` (RFC 8414): only the client credentials grant. */
export function authorizationServerMetadata({
  publicUrl,
  scopes,
  secrets,
}: Pick<MetadataOptions, 'publicUrl' | 'scopes'> & { readonly secrets: boolean }): Record<string, unknown> {
  return {
    issuer: publicUrl,
    token_endpoint: `${publicUrl}${tokenPath}`,
    jwks_uri: `${publicUrl}/.well-known/jwks.json`,
    scopes_supported: scopes,
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: authMethodsOf(secrets),
    token_endpoint_auth_signing_alg_values_supported: acceptedAlgs,
    dpop_signing_alg_values_supported: acceptedAlgs,
    tls_client_certificate_bound_access_tokens: true,
    protected_resources: [`${publicUrl}/v1`],
    service_documentation: `${publicUrl}/docs`,
  };
}

/** `/.well-known/api-catalog` (RFC 9727), to be served as `application/linkset+json`. */
export function apiCatalog(publicUrl: string): Record<string, unknown> {
  return {
    linkset: [
      {
        anchor: `${publicUrl}/v1`,
        'service-desc': [
          { href: `${publicUrl}/v1/openapi.json`, type: 'application/vnd.oai.openapi+json;version=3.1' },
          { href: `${publicUrl}/v1/openapi-3.0.json`, type: 'application/vnd.oai.openapi+json;version=3.0' },
          { href: `${publicUrl}/v1/openapi.yaml`, type: 'application/vnd.oai.openapi;version=3.1' },
        ],
        'service-meta': [
          { href: `${publicUrl}/.well-known/oauth-protected-resource/v1`, type: 'application/json' },
          { href: `${publicUrl}/v1`, type: 'application/json' },
        ],
        'service-doc': [{ href: `${publicUrl}/docs`, type: 'text/html' }],
        status: [{ href: `${publicUrl}/readyz`, type: 'application/json' }],
      },
    ],
  };
}

/** `/.well-known/security.txt` (RFC 9116): the contact for security reports, a URL such as `mailto:…`. */
export function securityTxt(publicUrl: string, contact: string, expires: string): string {
  return `Contact: ${contact}\nExpires: ${expires}\nCanonical: ${publicUrl}/.well-known/security.txt\nPreferred-Languages: en\n`;
}
