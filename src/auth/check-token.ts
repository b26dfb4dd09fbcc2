import { hash } from 'node:crypto';
import { type Clock, elapsedMs } from '../kernel/clock.ts';
import { createLruCache } from '../kernel/lru-cache.ts';
import type { Refusal } from '../kernel/refusal.ts';
import { type AccessGrant, parseAccessGrant, resourceOf, secondsAhead } from './access-token.ts';
import type { Caller, Scheme } from './caller.ts';
import {
  expiredAccessToken,
  invalidAccessToken,
  issuerUnavailable,
  noAccessToken,
  prematureAccessToken,
} from './challenge.ts';
import { type BindingDeps, checkTokenBinding, type PresentedProof, schemeForBinding } from './check-binding.ts';
import type { Client } from './client.ts';
import type { ClientCache } from './client-cache.ts';
import { acceptedAlgs } from './client-keys.ts';
import { isSignedWith, parseUnverifiedToken, type UnverifiedToken } from './parse-token.ts';
import type { SigningKeys } from './signing-key-store.ts';
import { parseStaffCaller, type StaffTokenRules } from './staff-token.ts';
import { IssuerUnavailable, type TrustedIssuer } from './trusted-issuer.ts';

/** Dependencies of the token check; `trusted` are the issuers of TRUSTED_ISSUERS. */
type TokenCheckDeps = {
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly keys: SigningKeys;
  readonly clients: ClientCache;
  readonly trusted: readonly TrustedIssuer[];
  /** The issuer of staff (STAFF_ISSUER), and how its claims give rights; without it no token of staff is accepted. */
  readonly staff?: { readonly issuer: TrustedIssuer; readonly rules: StaffTokenRules } | undefined;
  /** Checks the binding of tokens to keys and certificates; without it every bound token is refused. */
  readonly binding?: BindingDeps | undefined;
};

/** Checks the access tokens of requests. */
export type TokenChecker = ReturnType<typeof createTokenChecker>;

/** A token whose signature and claims were verified. Its client is looked up on every use. */
type VerifiedToken = {
  readonly grant: AccessGrant;
  readonly issuer: string;
  /** Pseudonym of the session at that issuer. */
  readonly session: string;
  /** The id of our key that signed it; undefined for a token of a trusted issuer. */
  readonly kid: string | undefined;
  /** The caller of a token of staff, which belongs to no client here. */
  readonly staffCaller?: Caller | undefined;
  readonly checkedAt: number;
};

const minCachedTokens = 10_000;
const cachedForMs = 60_000;
/** An unknown key id, or an unknown client of a trusted issuer, causes at most one database read in this time. */
const minReloadIntervalMs = 5_000;

/** Creates the token check of one process. It caches recently used tokens for a minute, by their hash. */
export function createTokenChecker(deps: TokenCheckDeps) {
  const { clock, publicUrl, clients, keys } = deps;
  const cache = createLruCache<VerifiedToken>(minCachedTokens);

  /** The caller of a request by its `Authorization` header, or the refusal. `scope` is used in the challenge only. */
  async function authenticate(
    authorization: string | undefined,
    scope?: string,
    presented?: PresentedProof,
  ): Promise<Caller | Refusal> {
    const credentials = readAuthorization(authorization);
    if (credentials === undefined) return noAccessToken(publicUrl, scope);
    const { scheme, token } = credentials;
    const checked = await findVerifiedToken(token, scheme);
    if ('slug' in checked) return checked;
    const { grant } = checked;
    if (grant.expiresAt <= clock.now()) return expiredAccessToken(grant.expiresAt, clock.now(), scheme);
    // Also for staff: the pages show the names of clients.
    if (!clients.isFresh()) await clients.refresh();
    if (checked.staffCaller !== undefined) {
      const bound = { scheme, token, confirmation: grant.confirmation, binding: 'none' } as const;
      return (await checkTokenBinding(deps.binding, bound, presented)) ?? checked.staffCaller;
    }
    const client = clients.get(grant.clientId);
    const caller = client && callerOf(checked, client);
    if (caller === undefined || client === undefined) return invalidAccessToken(scheme);
    if (scheme === 'Bearer' && grant.confirmation === undefined && client.binding === 'none') return caller;
    const bound = { scheme, token, confirmation: grant.confirmation, binding: client.binding };
    return (await checkTokenBinding(deps.binding, bound, presented)) ?? caller;
  }

  /** The token from the cache, or after its verification; or the refusal. */
  async function findVerifiedToken(token: string, scheme: Scheme): Promise<VerifiedToken | Refusal> {
    const name = hash('sha256', token, 'base64url');
    const cached = cache.get(name);
    if (cached !== undefined && isStillValid(cached)) return cached;
    const verified = (await verify(deps, token, scheme)) ?? invalidAccessToken(scheme);
    if ('slug' in verified) cache.delete(name);
    else cache.set(name, verified);
    return verified;
  }

  function isStillValid(checked: VerifiedToken): boolean {
    if (elapsedMs(checked.checkedAt, clock) > cachedForMs) return false;
    return checked.kid === undefined || keys.find('access-token', checked.kid) !== undefined;
  }

  return {
    authenticate,
    /** Clears the cached tokens and clients, so that a change by this process takes effect at once. */
    invalidate() {
      cache.clear();
      clients.invalidate();
    },
  };
}

/** The token with its scheme (RFC 6750 section 2.1, RFC 9449 section 7.1); undefined without a header and for another scheme. */
function readAuthorization(authorization: string | undefined): { scheme: Scheme; token: string } | undefined {
  const match = /^(bearer|dpop)(?: +(.*))?$/is.exec(authorization ?? '');
  if (match === null) return undefined;
  return { scheme: match[1]?.length === 4 ? 'DPoP' : 'Bearer', token: match[2] ?? '' };
}

/** The caller; undefined if the client is disabled, or registered for another issuer. */
function callerOf(checked: VerifiedToken, client: Client): Caller | undefined {
  if (client.disabledAt !== undefined) return undefined;
  const { credential } = client;
  const ours = checked.kid !== undefined;
  if (credential.by === 'issuer' ? credential.issuer !== checked.issuer : !ours) return undefined;
  return {
    clientId: client.clientId,
    scopes: new Set(client.scopes.filter((scope) => checked.grant.scopes.has(scope))),
    purposes: client.purposes === undefined ? undefined : new Set(client.purposes),
    quota: client.quota,
    scheme: schemeForBinding(checked.grant.confirmation, client.binding),
    // Our own authorization server issues tokens only to clients that act for themselves.
    citizenId: ours ? undefined : checked.grant.citizenId,
    session: ours ? undefined : checked.session,
  };
}

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
  const grant = parseAccessGrant(parsed.claims, resourceOf(publicUrl), clock.now());
  if (grant === undefined || (ours && parsed.claims['sub'] !== grant.clientId)) return undefined;
  const session = hash('sha256', `${issuer}\0${grant.session}`, 'base64url');
  if (isOfStaff(deps, issuer)) {
    const staffCaller = deps.staff && parseStaffCaller(parsed.claims, grant, deps.staff.rules);
    return staffCaller && { grant, issuer, session, kid: undefined, staffCaller, checkedAt: clock.now() };
  }
  // Another process may have just created the client. Our own tokens are issued to stored clients only, so each unknown
  // client is worth a read. A token of a trusted issuer may name any client, so these reads are limited.
  if (clients.get(grant.clientId) === undefined) await clients.refresh(ours ? undefined : minReloadIntervalMs);
  const kid = ours ? parsed.kid : undefined;
  return { grant, issuer, session, kid, checkedAt: clock.now() };
}

async function isSignedByUs({ keys }: TokenCheckDeps, token: string, { alg, kid }: UnverifiedToken): Promise<boolean> {
  if (kid === undefined) return false;
  if (keys.find('access-token', kid) === undefined) await keys.reload(minReloadIntervalMs);
  const key = keys.find('access-token', kid);
  return key !== undefined && key.alg === alg && isSignedWith(key.publicKey, token, key.alg);
}

/** The server does not start if STAFF_ISSUER is one of TRUSTED_ISSUERS, so each token has one kind of caller. */
function isOfStaff({ staff }: TokenCheckDeps, issuer: string): boolean {
  return staff?.issuer.issuer === issuer;
}

async function isSignedByTrusted(deps: TokenCheckDeps, token: string, issuer: string): Promise<boolean> {
  const trustedIssuer = isOfStaff(deps, issuer)
    ? deps.staff?.issuer
    : deps.trusted.find((one) => one.issuer === issuer);
  return trustedIssuer !== undefined && (await trustedIssuer.hasSigned(token));
}
