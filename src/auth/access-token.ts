import { signJws } from '../crypto/signing-key.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { citizenIdPattern } from '../kernel/id.ts';
import type { SigningKeys } from './signing-key-store.ts';

/** The life of our access tokens in seconds, and the longest life that is accepted. */
export const accessTokenSeconds = 600;

/** How far the clock of a signer may differ from ours, in seconds. FAPI 2.0, section 5.3.2.1, requires 10 to 60. */
export const clockSkewSeconds = 30;

/** The path of the token endpoint, below the public URL. */
export const tokenPath = '/oauth2/token';

/** The audience of access tokens: the URL of the interface. */
export function resourceOf(publicUrl: string): string {
  return `${publicUrl}/v1`;
}

type NewGrant = {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly confirmation?: Confirmation;
};

type IssueDeps = {
  readonly publicUrl: string;
  readonly keys: SigningKeys;
  readonly clock: Clock;
  readonly random: RandomBytes;
};

/** Signs an access token (RFC 9068, section 2) with the current key, for a client that acts for itself. */
export function issueAccessToken({ publicUrl, keys, clock, random }: IssueDeps, grant: NewGrant): string {
  const { clientId, scopes, confirmation: { jkt, x5t } = {} } = grant;
  const iat = Math.floor(clock.now() / 1_000);
  const cnf = jkt !== undefined ? { jkt } : x5t !== undefined ? { 'x5t#S256': x5t } : undefined;
  // JSON omits members that are undefined.
  return signJws(keys.current('access-token'), 'at+jwt', {
    iss: publicUrl,
    aud: resourceOf(publicUrl),
    sub: clientId,
    client_id: clientId,
    scope: scopes.join(' '),
    iat,
    exp: iat + accessTokenSeconds,
    jti: Buffer.from(random(16)).toString('base64url'),
    cnf,
  });
}

/** The content of a verified access token; `expiresAt` in epoch milliseconds. */
export type AccessGrant = {
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  readonly expiresAt: number;
  /** The citizen whom a trusted issuer authenticated (claim `citizen_id`). Our own tokens never have one. */
  readonly citizenId?: string | undefined;
  /** The session at the issuer (claim `sid`), otherwise the id of the token. */
  readonly session: string;
  /** The key or certificate that the token is bound to; undefined for a bearer token. */
  readonly confirmation?: Confirmation | undefined;
};

/** The claim `cnf` (RFC 7800): the thumbprint of a DPoP key (RFC 9449) or of a certificate (RFC 8705). */
export type Confirmation = { readonly jkt?: string; readonly x5t?: string };

/** Parses `cnf`; undefined if it is empty, malformed, or has a confirmation method that we cannot check. */
function parseConfirmation(cnf: unknown): Confirmation | undefined {
  // `Object.entries` names the parts of a text or list by their index, so they fail the check of names. A number has no entries.
  const members = Object.entries(cnf ?? {});
  const isThumbprint = (value: unknown): value is string =>
    typeof value === 'string' && /^[A-Za-z0-9_-]{43}$/.test(value);
  const known = members.every(([name, value]) => (name === 'jkt' || name === 'x5t#S256') && isThumbprint(value));
  if (members.length === 0 || !known) return undefined;
  const { jkt, 'x5t#S256': x5t } = Object.fromEntries(members);
  return { ...(jkt === undefined ? {} : { jkt }), ...(x5t === undefined ? {} : { x5t }) };
}

/**
 * The grant of verified claims; undefined if they are not an access token for `resource` (RFC 9068, section 4), have a life of
 * more than ten minutes, or are ahead of our clock. The caller checks the issuer, the expiry and the binding.
 */
export function parseAccessGrant(
  claims: Readonly<Record<string, unknown>>,
  resource: string,
  now: number,
): AccessGrant | undefined {
  const { aud, sub, client_id: clientId, jti, scope, iat, nbf, exp, citizen_id: citizenId, cnf, sid } = claims;
  if (aud !== resource && !(Array.isArray(aud) && aud.includes(resource))) return undefined;
  if (!isExternalId(sub) || !isExternalId(clientId) || !isExternalId(jti)) return undefined;
  const confirmation = cnf === undefined ? undefined : parseConfirmation(cnf);
  if (confirmation === undefined && 'cnf' in claims) return undefined;
  if (citizenId !== undefined && !(isExternalId(citizenId) && citizenIdPattern.test(citizenId))) return undefined;
  if (scope !== undefined && (typeof scope !== 'string' || !/^[\x21\x23-\x5b\x5d-\x7e ]*$/.test(scope)))
    return undefined;
  const latest = Math.floor(now / 1_000) + clockSkewSeconds;
  if (!isEpochSeconds(iat) || !isEpochSeconds(exp) || iat > latest || exp <= iat || exp - iat > accessTokenSeconds)
    return undefined;
  if (nbf !== undefined && (!isEpochSeconds(nbf) || nbf > latest)) return undefined;
  const scopes = new Set(scope?.split(' ').filter((one) => one !== ''));
  return {
    clientId,
    scopes,
    expiresAt: exp * 1_000,
    session: isExternalId(sid) ? sid : jti,
    ...(citizenId === undefined ? {} : { citizenId }),
    ...(confirmation === undefined ? {} : { confirmation }),
  };
}

/** The seconds by which verified claims are ahead of our clock; undefined within the accepted clock difference. */
export function secondsAhead({ iat, nbf }: Readonly<Record<string, unknown>>, now: number): number | undefined {
  const ahead = Math.max(...[iat, nbf].map((time) => (isEpochSeconds(time) ? time : 0))) - Math.floor(now / 1_000);
  return ahead > clockSkewSeconds ? ahead : undefined;
}

/** Whether a value can be an id of a client or citizen in both databases, which hold no NUL and no lone surrogate. */
export function isExternalId(value: unknown): value is string {
  if (typeof value !== 'string' || value.length < 1 || value.length > 255) return false;
  return !value.includes('\0') && value.isWellFormed();
}

/** Whether a claim is a time in whole seconds since the epoch. */
export function isEpochSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
