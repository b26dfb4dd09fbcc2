import type { RequestListener } from 'node:http';
import type {
  AdapterPayload,
  Configuration,
  errors,
  JWK,
  KoaContextWithOIDC,
  Provider,
  ResourceServer,
} from 'oidc-provider';
import type { Clock, Random } from '../kernel/clock.ts';
import type { SigningKey } from '../keys/signing-key.ts';
import type { Db } from '../store/db.ts';
import { accessTokenClaims, accessTokenSeconds, audienceOf } from './access-token.ts';
import { type Client, isSecretOf } from './client.ts';
import { faultOfAssertion } from './client-assertion.ts';
import { acceptedAlgs } from './client-keys.ts';
import { findClient } from './client-store.ts';
import { createOauthAdapter } from './oauth-adapter.ts';

/** What the token endpoint needs; a fault of the machine goes to `report`. */
export type TokenEndpointRoom = {
  readonly db: Pick<Db, 'read' | 'write'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly publicUrl: string;
  /** Every scope of the interface. */
  readonly scopes: readonly string[];
  readonly report: (fault: unknown) => void;
};

export const tokenPath = '/oauth2/token';

type Library = { readonly Provider: typeof Provider; readonly errors: typeof errors };

/**
 * Loads oidc-provider (0.1 s, so only at the first token). Its index prints a warning on every Node release without LTS
 * mark and does nothing else, so its two modules are taken directly; the version is pinned, and a test notices a move.
 */
async function loadLibrary(): Promise<Library> {
  const [provider, errorClasses] = await Promise.all(
    ['oidc-provider/lib/provider.js', 'oidc-provider/lib/helpers/errors.js'].map((path) => import(path)),
  );
  // The index exports these two under the types of @types/oidc-provider; their own paths have no declarations.
  return { Provider: provider.Provider, errors: errorClasses } as Library;
}

/** A handler of `POST /oauth2/token` that signs with that key (RFC 6749, client credentials only). */
export async function createTokenEndpoint(room: TokenEndpointRoom, key: SigningKey): Promise<RequestListener> {
  const library = await loadLibrary();
  const provider = new library.Provider(room.publicUrl, configurationOf(room, key, library));
  Object.assign(provider.Client.prototype, {
    // The provider compares clear texts; we keep a hash, and it is handed a placeholder instead of the secret.
    compareClientSecret(this: { clientId: string; secret_hash?: unknown }, secret: string) {
      const { secret_hash: hash } = this;
      return typeof hash === 'string' && isSecretOf(this.clientId, Buffer.from(hash, 'hex'), secret);
    },
  });
  Object.assign(provider.OIDCContext.prototype, {
    // By our address and not by the Host header. The endpoint is named too, so that the check of the claims can say why not.
    clientJwtAuthExpectedAudience: () => new Set([room.publicUrl, `${room.publicUrl}${tokenPath}`]),
  });
  provider.on('server_error', (_context, fault) => room.report(fault));
  provider.onerror = (fault) => room.report(fault);
  provider.use(async (context, next) => {
    await next();
    // Clients are servers: no page of a browser calls this.
    for (const name of Object.keys(context.response.headers)) {
      if (name.startsWith('access-control-') || name === 'vary') context.remove(name);
    }
  });
  return provider.callback();
}

function configurationOf(room: TokenEndpointRoom, key: SigningKey, library: Library): Configuration {
  const { clock, random, publicUrl } = room;
  const off = { enabled: false };
  // Client metadata must hold a secret where one is used. Nobody ever knows this one.
  const placeholder = Buffer.from(random(32)).toString('base64url');
  const { InvalidClientAuth } = library.errors;
  const invalidClient = (description: string) =>
    Object.assign(new InvalidClientAuth(), { error_description: description });
  return {
    adapter: createOauthAdapter({
      db: room.db,
      clock,
      findClient: async (clientId) => metadataOf(await findClient(room.db.read, clientId), placeholder),
      usedTwice: () => invalidClient('this client_assertion was used before; make a new one for every request'),
    }),
    jwks: { keys: [privateJwk(key)] },
    scopes: room.scopes,
    responseTypes: [],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    clientDefaults: { grant_types: ['client_credentials'], response_types: [], id_token_signed_response_alg: 'ES256' },
    clientBasedCORS: () => false,
    enabledJWA: { clientAuthSigningAlgValues: acceptedAlgs },
    extraClientMetadata: { properties: ['secret_hash', 'allowed_scopes'] },
    // Wide here, so that the check below can tell a client how far its clock is off; it is the one that counts.
    clockTolerance: 86_400,
    assertJwtClientAuthClaimsAndHeader: (_context, claims) => {
      const fault = faultOfAssertion(claims, publicUrl, clock.now());
      if (fault !== undefined) throw invalidClient(fault);
    },
    features: {
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audienceOf(publicUrl).resource,
        getResourceServerInfo: (context, resource, client) => {
          if (resource !== audienceOf(publicUrl).resource) throw new library.errors.InvalidTarget();
          return grantedResource(context, String(client['allowed_scopes']).split(' '), library);
        },
      },
      fapi: { enabled: true, profile: '2.0' },
      devInteractions: off,
      dPoP: off,
      pushedAuthorizationRequests: off,
      rpInitiatedLogout: off,
      userinfo: off,
    },
    formats: {
      customizers: {
        // The same claims as everywhere, by our clock; what the library adds besides (a binding) stays.
        jwt(_context, { clientId = '', scope = '' }, parts) {
          const grant = { clientId, scopes: scope.split(' ') };
          Object.assign(parts.payload, accessTokenClaims(audienceOf(publicUrl), grant, clock, random));
        },
      },
    },
    renderError: (context, out) => {
      context.body = out;
    },
    fetch: () => Promise.reject(new Error('the token endpoint fetches nothing')),
    routes: { token: tokenPath },
    ttl: { ClientCredentials: accessTokenSeconds },
  };
}

/**
 * What the token is good for. Without a scope it has all scopes of the client; one that the client is not allowed, or that
 * does not exist, is `invalid_scope` (the library alone would drop it in silence).
 */
function grantedResource(context: KoaContextWithOIDC, allowed: readonly string[], { errors }: Library): ResourceServer {
  const { params } = context.oidc;
  const asked = typeof params?.['scope'] === 'string' ? params['scope'].split(' ').filter((scope) => scope !== '') : [];
  if (params !== undefined && asked.length === 0) params['scope'] = allowed.join(' ');
  const refused = asked.find((scope) => !allowed.includes(scope));
  if (refused !== undefined) {
    throw new errors.InvalidScope(`this client may ask for: ${allowed.join(' ')}`, refused.slice(0, 100));
  }
  return {
    scope: allowed.join(' '),
    accessTokenFormat: 'jwt',
    accessTokenTTL: accessTokenSeconds,
    jwt: { sign: { alg: 'ES256' } },
  };
}

/** A client in the words of RFC 7591; undefined for one that does not exist, is disabled, or belongs to another issuer. */
function metadataOf(client: Client | undefined, placeholder: string): AdapterPayload | undefined {
  if (client === undefined || client.disabledAt !== undefined) return undefined;
  const { clientId, credential } = client;
  const common = { client_id: clientId, redirect_uris: [], allowed_scopes: client.scopes.join(' ') };
  switch (credential.by) {
    case 'secret': {
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
    case 'issuer':
      return undefined;
  }
}

function privateJwk(key: SigningKey): JWK {
  return { ...key.privateKey.export({ format: 'jwk' }), kid: key.kid, alg: key.alg, use: 'sig' };
}
