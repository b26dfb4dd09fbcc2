import { hash } from 'node:crypto';
import { type Clock, elapsedMs } from '../kernel/clock.ts';
import { createLruCache } from '../kernel/lru-cache.ts';
import type { Refusal } from '../kernel/refusal.ts';
import { type AccessGrant, audienceOf, parseAccessGrant, secondsAhead } from './access-token.ts';
import type { Caller } from './caller.ts';
import {
  expiredAccessToken,
  invalidAccessToken,
  issuerUnavailable,
  missingScope,
  noAccessToken,
  prematureAccessToken,
  type Scheme,
} from './challenge.ts';
import { type BindingDeps, checkTokenBinding, type PresentedProof, schemeForBinding } from './check-binding.ts';
import type { Client } from './client.ts';
import type { ClientCache } from './client-cache.ts';
import { acceptedAlgs } from './client-keys.ts';
import { isSignedWith, parseUnverifiedToken, type UnverifiedToken } from './parse-token.ts';
import type { SigningKeys } from './signing-key-store.ts';
import { IssuerUnavailable, type TrustedIssuer } from './trusted-issuer.ts';

/** What checking a token needs; `trusted` are the issuers besides our own that the operator named. */
export type TokenCheckDeps = {
  readonly clock: Clock;
  /** Without a slash at the end: our issuer, and the start of the resource identifier `<PUBLIC_URL>/v1`. */
  readonly publicUrl: string;
  readonly keys: SigningKeys;
  readonly clients: ClientCache;
  readonly trusted: readonly TrustedIssuer[];
  /** What checks the keys and certificates to which tokens are bound; without it a bound token is refused. */
  readonly binding?: BindingDeps | undefined;
};

/** What stands before an operation that needs a scope. */
export type TokenChecker = {
  /**
   * Who calls, by the `Authorization` header, or why not; `scope` is only named in the challenge. `shown` is what the
   * request proves besides, for tokens that are bound.
   */
  authenticate(authorization: string | undefined, scope?: string, shown?: PresentedProof): Promise<Caller | Refusal>;
  missingScope(scope: string, caller: Pick<Caller, 'scheme'>): Refusal;
  /** Forgets every checked token and client, so that what this process changed counts at once. */
  invalidate(): void;
};

/** A token whose signature and claims were verified; the client is looked at anew on every use. */
type VerifiedToken = {
  readonly grant: AccessGrant;
  readonly issuer: string;
  /** The key of ours that signed it; undefined for another issuer's. */
  readonly kid: string | undefined;
  readonly checkedAt: number;
  client: Client | undefined;
  caller: Caller | undefined;
};

/** At least so many checked tokens are kept, and at most twice as many. */
const minCachedTokens = 10_000;
const cachedForMs = 60_000;
/** How often an unknown key id, or an unknown client of another issuer, may make this process read its tables again. */
const minReloadIntervalMs = 5_000;

/** The checker of one process. Verified tokens are kept for a minute by their hash, those that were used last. */
export function createTokenChecker(deps: TokenCheckDeps): TokenChecker {
  const { clock, publicUrl, clients, keys } = deps;
  const cache = createLruCache<VerifiedToken>(minCachedTokens);

  async function authenticate(
    authorization: string | undefined,
    scope?: string,
    presented?: PresentedProof,
  ): Promise<Caller | Refusal> {
    const credentials = readAuthorization(authorization);
    if (credentials === undefined) return noAccessToken(publicUrl, scope);
    const { scheme, token } = credentials;
    const name = hash('sha256', token, 'base64url');
    let checked = cache.get(name);
    if (checked === undefined || !isStillGood(checked)) {
      const verified = await verify(deps, token, scheme);
      if (verified === undefined || 'slug' in verified) {
        cache.delete(name);
        return verified ?? invalidAccessToken(scheme);
      }
      checked = verified;
      cache.set(name, checked);
    }
    const { grant } = checked;
    if (grant.expiresAt <= clock.now()) return expiredAccessToken(grant.expiresAt, clock.now(), scheme);
    if (!clients.isFresh()) await clients.refresh();
    const client = clients.get(grant.clientId);
    const caller = callerOf(checked, client);
    if (caller === undefined || client === undefined) return invalidAccessToken(scheme);
    if (scheme === 'Bearer' && grant.confirmation === undefined && client.binding === 'none') return caller;
    const bound = { scheme, token, confirmation: grant.confirmation, binding: client.binding };
    return (await checkTokenBinding(deps.binding, bound, presented)) ?? caller;
  }

  function isStillGood(checked: VerifiedToken): boolean {
    if (elapsedMs(checked.checkedAt, clock) > cachedForMs) return false;
    return checked.kid === undefined || keys.find('access-token', checked.kid) !== undefined;
  }

  return {
    authenticate,
    missingScope,
    invalidate() {
      cache.clear();
      clients.invalidate();
    },
  };
}

/** The token with its scheme (RFC 6750 section 2.1, RFC 9449 section 7.1); undefined for no header and another scheme. */
function readAuthorization(authorization: string | undefined): { scheme: Scheme; token: string } | undefined {
  const match = /^(bearer|dpop)(?: +(.*))?$/is.exec(authorization ?? '');
  if (match === null) return undefined;
  return { scheme: match[1]?.length === 4 ? 'DPoP' : 'Bearer', token: match[2] ?? '' };
}

/** The caller, made once for each reading of the client; undefined where the client is gone or not of that issuer. */
function callerOf(checked: VerifiedToken, client: Client | undefined): Caller | undefined {
  if (client === undefined || client.disabledAt !== undefined) return undefined;
  if (checked.caller !== undefined && checked.client === client) return checked.caller;
  const { credential } = client;
  const ours = checked.kid !== undefined;
  // Our own issuer is none of those that are trusted besides.
  if (credential.by === 'issuer' ? credential.issuer !== checked.issuer : !ours) return undefined;
  checked.client = client;
  checked.caller = {
    clientId: client.clientId,
    scopes: checked.grant.scopes.intersection(new Set(client.scopes)),
    purposes: client.purposes === undefined ? undefined : new Set(client.purposes),
    quota: client.quota,
    scheme: schemeForBinding(checked.grant.confirmation, client.binding),
    // Whom our own authorization server gives a token is a client acting for itself.
    citizenId: ours ? undefined : checked.grant.citizenId,
  };
  return checked.caller;
}

/** The token as it was verified; undefined for one that is not accepted. */
async function verify(
  deps: TokenCheckDeps,
  token: string,
  scheme: Scheme,
): Promise<VerifiedToken | Refusal | undefined> {
  const { clock, clients, publicUrl } = deps;
  const parsed = parseUnverifiedToken(token);
  if (parsed === undefined || !acceptedAlgs.some((alg) => alg === parsed.alg)) return undefined;
  const { iss: issuer } = parsed.claims;
  if (typeof issuer !== 'string') return undefined;
  const ours = issuer === publicUrl;
  try {
    if (!(await (ours ? isSignedByUs(deps, token, parsed) : isSignedByTrusted(deps, token, issuer)))) {
      return undefined;
    }
  } catch (fault) {
    if (fault instanceof IssuerUnavailable) return issuerUnavailable();
    throw fault;
  }
  const ahead = secondsAhead(parsed.claims, clock.now());
  if (ahead !== undefined) return prematureAccessToken(ahead, clock.now(), scheme);
  const grant = parseAccessGrant(parsed.claims, { ...audienceOf(publicUrl), issuer }, clock.now());
  if (grant === undefined || (ours && parsed.claims['sub'] !== grant.clientId)) return undefined;
  // A client that another hand has just made: its token is good, and our view does not have it yet. We give tokens to
  // stored clients only, so that one of ours costs one reading; what another issuer signs may name anybody.
  if (clients.get(grant.clientId) === undefined) await clients.refresh(ours ? undefined : minReloadIntervalMs);
  const kid = ours ? parsed.kid : undefined;
  return { grant, issuer, kid, checkedAt: clock.now(), client: undefined, caller: undefined };
}

async function isSignedByUs({ keys }: TokenCheckDeps, token: string, { alg, kid }: UnverifiedToken): Promise<boolean> {
  if (kid === undefined) return false;
  if (keys.find('access-token', kid) === undefined) await keys.reload(minReloadIntervalMs);
  const key = keys.find('access-token', kid);
  return key !== undefined && key.alg === alg && (await isSignedWith(key.publicKey, token, [key.alg]));
}

async function isSignedByTrusted({ trusted }: TokenCheckDeps, token: string, issuer: string): Promise<boolean> {
  const known = trusted.find((one) => one.issuer === issuer);
  return known !== undefined && (await known.hasSigned(token));
}
