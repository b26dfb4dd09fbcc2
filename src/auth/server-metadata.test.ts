import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiCatalog, protectedResourceMetadata, securityTxt } from './server-metadata.ts';

const publicUrl = 'https://api.example.gov';

test('the resource metadata has the audience of the tokens and every trusted issuer', () => {
  const site = { publicUrl, scopes: ['documents:read'], trustedIssuers: ['https://login.example.org'] };
  assert.deepEqual(protectedResourceMetadata(site), {
    resource: 'https://api.example.gov/v1',
    resource_name: 'citizen-services',
    authorization_servers: ['https://api.example.gov', 'https://login.example.org'],
    scopes_supported: ['documents:read'],
    bearer_methods_supported: ['header'],
    jwks_uri: 'https://api.example.gov/.well-known/jwks.json',
    resource_signing_alg_values_supported: ['ES256'],
    resource_documentation: 'https://api.example.gov/docs',
    dpop_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA', 'Ed25519'],
    dpop_bound_access_tokens_required: false,
    tls_client_certificate_bound_access_tokens: true,
  });
});

test('the API catalogue links the OpenAPI documents, the documentation and the health check', () => {
  assert.deepEqual(apiCatalog(publicUrl), {
    linkset: [
      {
        anchor: 'https://api.example.gov/v1',
        'service-desc': [
          { href: 'https://api.example.gov/v1/openapi.json', type: 'application/vnd.oai.openapi+json;version=3.1' },
          { href: 'https://api.example.gov/v1/openapi-3.0.json', type: 'application/vnd.oai.openapi+json;version=3.0' },
          { href: 'https://api.example.gov/v1/openapi.yaml', type: 'application/vnd.oai.openapi;version=3.1' },
        ],
        'service-meta': [
          { href: 'https://api.example.gov/.well-known/oauth-protected-resource/v1', type: 'application/json' },
          { href: 'https://api.example.gov/v1', type: 'application/json' },
        ],
        'service-doc': [{ href: 'https://api.example.gov/docs', type: 'text/html' }],
        status: [{ href: 'https://api.example.gov/readyz', type: 'application/json' }],
      },
    ],
  });
});

test('security.txt has the fields that RFC 9116 requires, one per line', () => {
  assert.equal(
    securityTxt(publicUrl, 'mailto:security@example.gov', '2027-11-20T00:00:00Z'),
    'Contact: mailto:security@example.gov\nExpires: 2027-11-20T00:00:00Z\nCanonical: https://api.example.gov/.well-known/security.txt\nPreferred-Languages: en\n',
  );
});
