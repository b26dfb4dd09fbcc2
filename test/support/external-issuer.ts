import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import { newClient } from '../../src/auth/client.ts';
import { insertClient } from '../../src/auth/client-store.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import { type CleanupScope, makeServerFixture, type ServerFixture } from './server-process.ts';

/** An external authorization server on loopback, with metadata and keys. */
export type ExternalIssuer = {
  readonly url: string;
  /** Signs an access token (RFC 9068) for five minutes from now, or from the claim `now` (seconds). The claims replace the usual ones. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
};

/** Starts an issuer that stops after the test. */
export async function startExternalIssuer(t: CleanupScope): Promise<ExternalIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'outside', use: 'sig', alg: 'ES256' }];
  const server = createServer((request, response) => {
    const documents: Readonly<Record<string, unknown>> = {
      '/.well-known/oauth-authorization-server': { issuer: url(), jwks_uri: `${url()}/keys` },
      '/keys': { keys },
    };
    const document = documents[request.url ?? ''];
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  // A TCP server that listens has an address of this form.
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return {
    url: url(),
    sign: ({ now = Math.floor(Date.now() / 1_000), ...claims }) =>
      new SignJWT({ iss: url(), jti: 'outside-1', ...claims })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'outside' })
        .setIssuedAt(Number(now))
        .setExpirationTime(Number(now) + 300)
        .sign(privateKey),
  };
}

/**
 * Creates a client for citizens whose tokens that issuer signs, and returns its id. No server may run. The command line is
 * not used, since it accepts only issuers with https.
 */
export async function addCitizenClient(home: ServerFixture, issuer: ExternalIssuer): Promise<string> {
  const credential = { by: 'issuer', issuer: issuer.url } as const;
  const wanted = {
    name: 'Citizens’ Portal',
    kind: 'test',
    scopes: ['citizen:self', 'documents:read'],
    credential,
  } as const;
  const made = newClient(wanted, systemClock, systemRandom);
  if ('fault' in made) assert.fail(made.fault);
  const db = await home.openDb();
  await db.write([insertClient(made.client)]);
  await db.close();
  return made.client.clientId;
}

/** The data folder of a stopped demo that trusts an external issuer, with a client for its citizens. */
export async function makeDemoWithExternalIssuer(t: CleanupScope, settings: Readonly<Record<string, string>> = {}) {
  const issuer = await startExternalIssuer(t);
  const home = await makeServerFixture(t, { settings: { ...settings, TRUSTED_ISSUERS: issuer.url } });
  await (await home.start('demo')).stop('SIGTERM');
  return { issuer, home, citizensClient: await addCitizenClient(home, issuer) };
}

/** An external OpenID Connect provider on loopback, at which citizens sign in. */
export type OpenIdProvider = {
  readonly url: string;
  /** The private key of the citizen pages as its client. */
  readonly clientKey: JWK;
  /** The person at the browser; undefined for a person who cancels the sign-in. */
  person: string | undefined;
  /** The claims of its access tokens about that person; `citizen_id` by default. */
  claimsOf: (person: string) => Readonly<Record<string, unknown>>;
  /** The audience of its access tokens; undefined for the requested resource. */
  audience: string | undefined;
  /** The life of its next access tokens, in seconds. */
  tokenSeconds: number;
  /** The number of requests to each path. */
  readonly requests: Map<string, number>;
};

const providerScopes = 'citizen:self documents:read';

/** Starts a provider with one client, whose pages are at `home`. */
export async function startOpenIdProvider(
  t: CleanupScope,
  {
    clientId,
    home,
    config = {},
  }: {
    readonly clientId: string;
    readonly home: string;
    readonly config?: Configuration;
  },
): Promise<OpenIdProvider> {
  const providerKeys = await generateKeyPair('ES256', { extractable: true });
  const clientKeys = await generateKeyPair('ES256', { extractable: true });
  const state: Pick<OpenIdProvider, 'person' | 'claimsOf' | 'audience' | 'tokenSeconds' | 'requests'> = {
    person: 'demo-mary',
    claimsOf: (person) => ({ citizen_id: person }),
    audience: undefined,
    tokenSeconds: 300,
    requests: new Map(),
  };
  let provider: Provider | undefined;
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    state.requests.set(path, (state.requests.get(path) ?? 0) + 1);
    if (provider === undefined) response.destroy();
    else if (path.startsWith('/interaction/')) void finishInteraction(provider, state.person, request, response);
    else void provider.callback()(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // The address of a listening TCP server has this type.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  provider = new Provider(url, {
    clients: [
      {
        client_id: clientId,
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: 'ES256',
        jwks: { keys: [{ ...(await exportJWK(clientKeys.publicKey)), kid: 'pages', use: 'sig', alg: 'ES256' }] },
        redirect_uris: [`${home}/me/sign-in/return`],
        post_logout_redirect_uris: [`${home}/me`],
        id_token_signed_response_alg: 'ES256',
        response_types: ['code'],
        grant_types: ['authorization_code', ...(config.issueRefreshToken === undefined ? [] : ['refresh_token'])],
      },
    ],
    clientAuthMethods: ['private_key_jwt'],
    jwks: { keys: [{ ...(await exportJWK(providerKeys.privateKey)), kid: 'provider', use: 'sig', alg: 'ES256' }] },
    cookies: { keys: ['one of a test'] },
    scopes: ['openid'],
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({
          scope: providerScopes,
          audience: state.audience ?? resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: state.tokenSeconds,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    extraTokenClaims: (_context, token) => ({ ...state.claimsOf('accountId' in token ? String(token.accountId) : '') }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AuthorizationCode: 60, IdToken: 300 },
    ...config,
  });
  provider.on('server_error', (_context, fault) => console.error(fault));
  return Object.assign(state, { url, clientKey: { ...(await exportJWK(clientKeys.privateKey)), kid: 'pages' } });
}

/** The sign-in and consent pages of the provider; both are completed at once. */
async function finishInteraction(
  provider: Provider,
  person: string | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (person === undefined) {
    await provider.interactionFinished(request, response, { error: 'access_denied' });
  } else if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: person } });
  } else {
    const grant = new provider.Grant({
      accountId: session?.accountId ?? person,
      clientId: String(params['client_id']),
    });
    grant.addOIDCScope('openid');
    grant.addResourceScope(String(params['resource']), providerScopes);
    await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }
}
