import { signJws } from '../crypto/signing-key.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import type { SigningKeys } from './signing-key-store.ts';

/** How long an access token lives, in seconds; also the longest life that is accepted (CONTRACT, section 2). */
export const accessTokenSeconds = 600;

/** How far ahead of ours the clock of a signer may run, in seconds: FAPI 2.0 accepts 10 and refuses more than 60. */
export const clockSkewSeconds = 30;

/** Whose tokens, and for what: `issuer` is a URL, `resource` the identifier of the interface, `<PUBLIC_URL>/v1`. */
export type Audience = { readonly issuer: string; readonly resource: string };

/** Our own tokens for our own interface, by the address that callers use, without a slash at the end. */
export function audienceOf(publicUrl: string): Audience {
  return { issuer: publicUrl, resource: `${publicUrl}/v1` };
}

/** The grant of a new access token; it is bound to nothing where `confirmation` is empty or absent. */
type NewGrant = {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly confirmation?: Confirmation;
};

/** The claims of a new access token (RFC 9068, section 2.2) for a client that acts for itself. */
export function accessTokenClaims(
  audience: Audience,
  grant: NewGrant,
  clock: Clock,
  random: RandomBytes,
): Readonly<Record<string, unknown>> {
  const now = Math.floor(clock.now() / 1_000);
  return {
    iss: audience.issuer,
    aud: audience.resource,
    sub: grant.clientId,
    client_id: grant.clientId,
    scope: grant.scopes.join(' '),
    iat: now,
    exp: now + accessTokenSeconds,
    jti: Buffer.from(random(16)).toString('base64url'),
    ...confirmationClaim(grant.confirmation),
  };
}

function confirmationClaim({ jkt, x5t }: Confirmation = {}): { readonly cnf?: Readonly<Record<string, string>> } {
  if (jkt !== undefined) return { cnf: { jkt } };
  return x5t === undefined ? {} : { cnf: { 'x5t#S256': x5t } };
}

/** Signs the claims as an access token with the key in force. */
export function signAccessToken(keys: SigningKeys, claims: Readonly<Record<string, unknown>>): string {
  return signJws(keys.current('access-token'), 'at+jwt', claims);
}

/** What a verified access token says, in our terms; `expiresAt` in epoch milliseconds. */
export type AccessGrant = {
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  readonly expiresAt: number;
  /** The citizen whom another issuer has authenticated (claim `citizen_id`); never in a token of our own. */
  readonly citizenId?: string | undefined;
  /** What the token is bound to, and its bearer must show; undefined for a token that is bound to nothing. */
  readonly confirmation?: Confirmation | undefined;
};

/** The member `cnf` of a token (RFC 7800): the thumbprint of a DPoP key (RFC 9449) or of a certificate (RFC 8705). */
export type Confirmation = { readonly jkt?: string; readonly x5t?: string };

/** Reads `cnf`; undefined for one that is empty, not of its form, or names what we cannot check. */
function parseConfirmation(cnf: unknown): Confirmation | undefined {
  // A text or a list has its positions as names, a number none.
  const members = Object.entries(cnf ?? {});
  const isThumbprint = (value: unknown): value is string =>
    typeof value === 'string' && /^[A-Za-z0-9_-]{43}$/.test(value);
  const known = members.every(([name, value]) => (name === 'jkt' || name === 'x5t#S256') && isThumbprint(value));
  if (members.length === 0 || !known) return undefined;
  const { jkt, 'x5t#S256': x5t } = Object.fromEntries(members);
  return { ...(jkt === undefined ? {} : { jkt }), ...(x5t === undefined ? {} : { x5t }) };
}

/**
 * What verified claims grant, or undefined where they are not those of an access token for us (RFC 9068, section 4): other
 * issuer or audience, a member missing or of another type, a life of more than ten minutes, a time ahead of ours. Whether
 * it is expired is left to the caller, and so is whether its bearer can show what it is bound to.
 */
export function parseAccessGrant(
  claims: Readonly<Record<string, unknown>>,
  audience: Audience,
  now: number,
): AccessGrant | undefined {
  const { iss, aud, sub, client_id: clientId, jti, scope, iat, nbf, exp, citizen_id: citizenId, cnf } = claims;
  if (iss !== audience.issuer || !isFor(aud, audience.resource)) return undefined;
  if (!isExternalId(sub) || !isExternalId(clientId) || !isExternalId(jti)) return undefined;
  const confirmation = cnf === undefined ? undefined : parseConfirmation(cnf);
  if (confirmation === undefined && 'cnf' in claims) return undefined;
  if (citizenId !== undefined && !isExternalId(citizenId)) return undefined;
  if (scope !== undefined && (typeof scope !== 'string' || !/^[\x21\x23-\x5b\x5d-\x7e ]*$/.test(scope)))
    return undefined;
  const latest = Math.floor(now / 1_000) + clockSkewSeconds;
  if (!isTime(iat) || !isTime(exp) || iat > latest || exp <= iat || exp - iat > accessTokenSeconds) return undefined;
  if (nbf !== undefined && (!isTime(nbf) || nbf > latest)) return undefined;
  const scopes = new Set(scope?.split(' ').filter((one) => one !== ''));
  return {
    clientId,
    scopes,
    expiresAt: exp * 1_000,
    ...(citizenId === undefined ? {} : { citizenId }),
    ...(confirmation === undefined ? {} : { confirmation }),
  };
}

/**
 * By how many seconds verified claims are ahead of our clock, or undefined where they are not: the clock of their issuer is
 * wrong, or ours, and who sends them cannot know unless it is told.
 */
export function secondsAhead({ iat, nbf }: Readonly<Record<string, unknown>>, now: number): number | undefined {
  const ahead = Math.max(...[iat, nbf].map((time) => (isTime(time) ? time : 0))) - Math.floor(now / 1_000);
  return ahead > clockSkewSeconds ? ahead : undefined;
}

function isFor(aud: unknown, resource: string): boolean {
  return Array.isArray(aud) ? aud.includes(resource) : aud === resource;
}

/** A text that can be looked up as an id of a client or citizen: no database holds a NUL or half of a surrogate pair. */
export function isExternalId(value: unknown): value is string {
  if (typeof value !== 'string' || value.length < 1 || value.length > 255) return false;
  return !value.includes('\0') && value.isWellFormed();
}

/** Whole seconds since the epoch, as JSON number: no text, no fraction, nothing that a double cannot hold. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
