import type { IncomingMessage, RequestListener } from 'node:http';
import type { Configuration, errors, JWK, KoaContextWithOIDC, Provider, ResourceServer } from 'oidc-provider';
import type { SigningKey } from '../crypto/signing-key.ts';
import { type Database, ReadUnavailable, WriteBusy, WriteUnknown } from '../db/database.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { accessTokenClaims, accessTokenSeconds, audienceOf, isExternalId } from './access-token.ts';
import { isClientSecret } from './client.ts';
import { assertionFault } from './client-assertion.ts';
import { type CertificateReader, certificateNames, hasAlternativeName } from './client-certificate.ts';
import { acceptedAlgs } from './client-keys.ts';
import { clientMetadata } from './client-metadata.ts';
import { findClient } from './client-store.ts';
import type { DpopNonces } from './dpop-nonces.ts';
import { checkDpopProof, type DpopProof } from './dpop-proof.ts';
import { createOauthAdapter } from './oidc-provider-adapter.ts';
import { createReplayDetector } from './used-proof-store.ts';

/** What the token endpoint needs; a fault of the machine goes to `report`. */
export type TokenEndpointDeps = {
  readonly db: Pick<Database, 'read' | 'write'>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly publicUrl: string;
  /** Every scope of the interface. */
  readonly scopes: readonly string[];
  /** Whether clients may prove themselves by secrets: in the demo, and in a sandbox. */
  readonly secrets: boolean;
  /** Who calls over mutual TLS; without it nobody does. */
  readonly certificates?: CertificateReader | undefined;
  /** Where the operator wants DPoP proofs to carry a nonce. */
  readonly nonces?: DpopNonces | undefined;
  readonly report: (fault: unknown) => void;
};

export const tokenPath = '/oauth2/token';

/** How a client may prove itself (FAPI 2.0, section 5.3.2.1); by a secret only where the operator takes them. */
export function authMethodsOf(secrets: boolean) {
  const methods = ['private_key_jwt', 'tls_client_auth', 'self_signed_tls_client_auth'] as const;
  return secrets ? ([...methods, 'client_secret_basic', 'client_secret_post'] as const) : methods;
}

type Library = {
  readonly Provider: typeof Provider;
  readonly errors: typeof errors;
  readonly internals: (provider: Provider) => { DPoPNonces?: { nextChallenge(): string; checkChallenge(): boolean } };
};

/**
 * Loads oidc-provider (0.1 s, so only at the first token). Its index prints a warning on every Node release without LTS
 * mark and does nothing else, so its modules are taken directly; the version is pinned, and a test notices a move.
 */
async function loadLibrary(): Promise<Library> {
  const [provider, errorClasses, internals] = await Promise.all(
    ['provider.js', 'helpers/errors.js', 'helpers/weak_cache.js'].map((path) => import(`oidc-provider/lib/${path}`)),
  );
  // The index exports the first two under the types of @types/oidc-provider; their own paths have no declarations.
  return { Provider: provider.Provider, errors: errorClasses, internals: internals.get } as Library;
}

/** A handler of `POST /oauth2/token` that signs with that key (RFC 6749, client credentials only). */
export async function createTokenEndpoint(deps: TokenEndpointDeps, key: SigningKey): Promise<RequestListener> {
  const library = await loadLibrary();
  const proofs: Proofs = new WeakMap();
  const provider = new library.Provider(deps.publicUrl, providerConfiguration(deps, key, library, proofs));
  Object.assign(provider.Client.prototype, {
    // The provider compares clear texts; we keep a hash, and it is handed a placeholder instead of the secret.
    compareClientSecret(this: { clientId: string; secret_hash?: unknown }, secret: string) {
      const { secret_hash: hash } = this;
      return typeof hash === 'string' && isClientSecret(this.clientId, Buffer.from(hash, 'hex'), secret);
    },
  });
  Object.assign(provider.OIDCContext.prototype, {
    // By our address and not by the Host header. The endpoint is named too, so that the check of the claims can say why not.
    clientJwtAuthExpectedAudience: () => new Set([deps.publicUrl, `${deps.publicUrl}${tokenPath}`]),
    urlFor: () => `${deps.publicUrl}${tokenPath}`,
  });
  // Nonces are checked by `checkProof`, which stands before the library's own look at the proof.
  library.internals(provider).DPoPNonces = {
    nextChallenge: () => deps.nonces?.current() ?? '',
    checkChallenge: () => true,
  };
  provider.on('server_error', (context, fault) => {
    deps.report(fault);
    const isTemporary = fault instanceof ReadUnavailable || fault instanceof WriteBusy || fault instanceof WriteUnknown;
    context.body = isTemporary ? temporarilyUnavailable : internalError;
    if (!isTemporary) return;
    context.status = 503;
    context.set('retry-after', '2');
  });
  // Its listeners are given the context as well. The connection's own fault is a caller who is gone: anybody could make as
  // many as they like (tokens-broken-off.test.ts).
  provider.onerror = (fault, context?: KoaContextWithOIDC) => {
    if (context?.socket.errored !== fault) deps.report(fault);
  };
  provider.use(async (context, next) => {
    const proof = await checkRequestProof(deps, context.req);
    if (proof === undefined || 'jkt' in proof) {
      if (proof !== undefined) proofs.set(context.req, proof);
      await next();
    } else {
      if (deps.nonces !== undefined) context.set('dpop-nonce', deps.nonces.current());
      context.status = 400;
      context.body = { error: proof.error, error_description: proof.description };
    }
    if (deps.nonces === undefined) context.remove('dpop-nonce');
    // Clients are servers: no page of a browser calls this.
    for (const name of Object.keys(context.response.headers)) {
      if (name.startsWith('access-control-') || name === 'vary') context.remove(name);
    }
  });
  return provider.callback();
}

/** In the words of RFC 6749, section 4.1.2.1, also where it is unknown whether a proof counts as used: each request has a new one. */
const temporarilyUnavailable = {
  error: 'temporarily_unavailable',
  error_description: 'the database cannot be asked at present; no token was given, ask again',
};
/** More than clocks can be apart. */
const unboundedSeconds = 10_000_000_000;
const internalError = {
  error: 'server_error',
  error_description: 'the server met a fault of its own; it is in its log',
};

/** The DPoP proof of a token request, checked; undefined without one, since few clients need it. */
async function checkRequestProof({ publicUrl, clock, nonces }: TokenEndpointDeps, { headers }: IncomingMessage) {
  if (headers['dpop'] === undefined) return undefined;
  const expected = { method: 'POST', url: `${publicUrl}${tokenPath}` };
  return await checkDpopProof(String(headers['dpop']), expected, { clock, nonces });
}

/** The checked proofs of requests that are under way. */
type Proofs = WeakMap<IncomingMessage, DpopProof>;

function providerConfiguration(
  deps: TokenEndpointDeps,
  key: SigningKey,
  library: Library,
  proofs: Proofs,
): Configuration {
  const { clock, random, publicUrl } = deps;
  // Client metadata must hold a secret where one is used. Nobody ever knows this one.
  const placeholder = Buffer.from(random(32)).toString('base64url');
  const { InvalidClientAuth, InvalidDpopProof } = library.errors;
  const isFirst = createReplayDetector(deps, 'DPoP');
  const invalidClient = (description: string) =>
    Object.assign(new InvalidClientAuth(), { error_description: description });
  return {
    adapter: createOauthAdapter({
      db: deps.db,
      clock,
      findClient: async (clientId) =>
        isExternalId(clientId)
          ? clientMetadata(await findClient(deps.db.read, clientId), { placeholder, secrets: deps.secrets })
          : undefined,
      createReplayError: () => invalidClient('this client_assertion was used before; make a new one for every request'),
    }),
    jwks: { keys: [privateJwk(key)] },
    scopes: deps.scopes,
    responseTypes: [],
    clientAuthMethods: [...authMethodsOf(deps.secrets)],
    clientDefaults: { grant_types: ['client_credentials'], response_types: [], id_token_signed_response_alg: 'ES256' },
    clientBasedCORS: () => false,
    enabledJWA: { clientAuthSigningAlgValues: acceptedAlgs, dPoPSigningAlgValues: acceptedAlgs },
    extraClientMetadata: { properties: ['secret_hash', 'allowed_scopes'] },
    // Wide here, where the machine's clock is asked: the check below goes by ours, tells a client how far its own is off, and counts.
    clockTolerance: unboundedSeconds,
    assertJwtClientAuthClaimsAndHeader: (_context, claims) => {
      const fault = assertionFault(claims, publicUrl, clock.now());
      if (fault !== undefined) throw invalidClient(fault);
    },
    features: providerFeatures(deps, library),
    formats: {
      customizers: {
        // The same claims as everywhere, by our clock; what the library adds besides (a binding) stays.
        async jwt(context, { clientId = '', scope = '' }, parts) {
          const proof = proofs.get(context.req);
          if (proof !== undefined && !(await isFirst(proof.jkt, proof.jti, proof.endsAt))) {
            throw new InvalidDpopProof('this proof was used before; make a new one for every request');
          }
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

function providerFeatures({ publicUrl, certificates }: TokenEndpointDeps, library: Library): Configuration['features'] {
  const off = { enabled: false };
  return {
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
    // Replay is found below, once the client is known, by what all processes share.
    dPoP: { enabled: true, allowReplay: true },
    mTLS: mutualTls(certificates),
    pushedAuthorizationRequests: off,
    rpInitiatedLogout: off,
    userinfo: off,
  };
}

/** Clients with certificates (RFC 8705), as our reader of certificates finds and judges them. */
function mutualTls(certificates: CertificateReader | undefined): NonNullable<Configuration['features']>['mTLS'] {
  return {
    enabled: true,
    certificateBoundAccessTokens: true,
    selfSignedTlsClientAuth: true,
    tlsClientAuth: true,
    getCertificate: ({ req }) => certificates?.read(req)?.x509,
    certificateAuthorized: ({ req }) => certificates?.read(req)?.authorized === true,
    certificateSubjectMatches: ({ req }, property, expected) => {
      const name = certificateNames.find((one) => property === `tls_client_auth_san_${one}`);
      const x509 = certificates?.read(req)?.x509;
      return name !== undefined && x509 !== undefined && hasAlternativeName(x509, name, expected);
    },
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

function privateJwk(key: SigningKey): JWK {
  return { ...key.privateKey.export({ format: 'jwk' }), kid: key.kid, alg: key.alg, use: 'sig' };
}
