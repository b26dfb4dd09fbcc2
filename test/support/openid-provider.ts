import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import type { CleanupScope } from './server-process.ts';

/** An OpenID Connect provider of somebody else, on loopback, at which citizens sign in. */
export type OpenIdProvider = {
  readonly url: string;
  /** The private key by which the pages prove themselves there. */
  readonly clientKey: JWK;
  /** Who sits at the browser; undefined: somebody who breaks the sign-in off. */
  person: string | undefined;
  /** What its access tokens say of that person; the usual is the claim by which the interface knows a citizen. */
  claimsOf: (person: string) => Readonly<Record<string, unknown>>;
  /** For whom its access tokens are, where not for the interface that was asked for. */
  audience: string | undefined;
  /** So long its access tokens are good that it gives from now on. */
  tokenSeconds: number;
  /** How often it was asked on each path. */
  readonly asked: Map<string, number>;
};

const providerScopes = 'citizen:self documents:read';

/** The provider with one client, whose pages are at that address. */
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
  const state: Pick<OpenIdProvider, 'person' | 'claimsOf' | 'audience' | 'tokenSeconds' | 'asked'> = {
    person: 'demo-mary',
    claimsOf: (person) => ({ citizen_id: person }),
    audience: undefined,
    tokenSeconds: 300,
    asked: new Map(),
  };
  let provider: Provider | undefined;
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    state.asked.set(path, (state.asked.get(path) ?? 0) + 1);
    if (provider === undefined) response.destroy();
    else if (path.startsWith('/interaction/')) void finishInteraction(provider, state.person, request, response);
    else void provider.callback()(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server that listens has an address of this form.
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

/** The provider's own pages, on which a person would sign in and agree: here both are done at once. */
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
