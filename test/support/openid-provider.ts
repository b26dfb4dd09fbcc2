import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import type { CleanupScope } from './server-process.ts';

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
        grant_types: ['authorization_code'],
      },
    ],
    clientAuthMethods: ['private_key_jwt'],
    jwks: { keys: [{ ...(await exportJWK(providerKeys.privateKey)), kid: 'provider', use: 'sig', alg: 'ES256' }] },
    cookies: { keys: ['one of a test'] },
    scopes: ['openid'],
    features: {
      devInteractions: { enabled: false },
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
