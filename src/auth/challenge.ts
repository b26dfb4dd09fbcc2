import { formatInstant } from '../kernel/clock.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { Caller } from './caller.ts';
import { acceptedAlgs } from './client-keys.ts';
import type { DpopProofFault } from './dpop-proof.ts';

/** What a challenge says besides its scheme and realm; members that are undefined are left out. */
export type ChallengeMembers = {
  readonly error?: string | undefined;
  readonly errorDescription?: string | undefined;
  readonly scope?: string | undefined;
  readonly resourceMetadata?: string | undefined;
};

/** The schemes in which a token may come (RFC 6750, RFC 9449). */
export type Scheme = 'Bearer' | 'DPoP';

const realm = 'citizen-services';

/** One `WWW-Authenticate` value (RFC 6750 section 3, RFC 9728 section 5.1). Texts are ours: none holds a quote or backslash. */
export function challenge(scheme: Scheme, members: ChallengeMembers): string {
  const named = {
    realm,
    algs: scheme === 'DPoP' ? acceptedAlgs.join(' ') : undefined,
    error: members.error,
    error_description: members.errorDescription,
    scope: members.scope,
    resource_metadata: members.resourceMetadata,
  };
  const parts = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${value}"`]));
  return `${scheme} ${parts.join(', ')}`;
}

const withChallenge = (value: string | string[]) => ({ headers: { 'www-authenticate': value } });

/** No token came: the challenge names scope and metadata, and no error (RFC 6750, section 3.1). */
export function noAccessToken(publicUrl: string, scope: string | undefined): Refusal {
  const resourceMetadata = `${publicUrl}/.well-known/oauth-protected-resource/v1`;
  return refuse(
    'no-access-token',
    "Send 'Authorization: Bearer <ACCESS_TOKEN>'. Get a token from the authorization server named in resource_metadata.",
    withChallenge([challenge('Bearer', { scope, resourceMetadata }), challenge('DPoP', { scope, resourceMetadata })]),
  );
}

/** The one answer to every token that is not accepted, whatever is wrong with it, in the scheme in which it has to come. */
export function invalidAccessToken(scheme: Scheme = 'Bearer'): Refusal {
  const errorDescription = 'The access token is not valid';
  return refuse(
    'invalid-access-token',
    undefined,
    withChallenge(challenge(scheme, { error: 'invalid_token', errorDescription })),
  );
}

/** The token is good, and the proof beside it is not (RFC 9449, section 7.1); with a nonce where one has to be used. */
export function refusedProof({ error, description }: DpopProofFault, nonce: string | undefined): Refusal {
  const headers = {
    'www-authenticate': challenge('DPoP', { error, errorDescription: description }),
    ...(nonce === undefined ? {} : { 'dpop-nonce': nonce }),
  };
  const slug = error === 'use_dpop_nonce' ? 'dpop-nonce-needed' : 'invalid-dpop-proof';
  return refuse(slug, `The DPoP proof is not accepted: ${description}.`, { headers });
}

/** The token was good until its time was over; only said once its signature was verified. Instants in epoch ms. */
export function expiredAccessToken(expiredAt: number, now: number, scheme: Scheme = 'Bearer'): Refusal {
  const errorDescription = 'The access token expired';
  const ago = Math.max(0, Math.floor((now - expiredAt) / 1_000));
  return refuse(
    'expired-access-token',
    `The token expired ${ago} s ago by this server's clock. If this repeats, check your clock against serverTime.`,
    {
      members: { serverTime: formatInstant(now) },
      ...withChallenge(challenge(scheme, { error: 'invalid_token', errorDescription })),
    },
  );
}

/** The token is of a time that has not come here; only said once its signature was verified. */
export function prematureAccessToken(aheadSeconds: number, now: number, scheme: Scheme): Refusal {
  return refuse(
    'invalid-access-token',
    `The token is ${aheadSeconds} s ahead of this server's clock. Compare the clock of its issuer with serverTime.`,
    {
      members: { serverTime: formatInstant(now) },
      ...withChallenge(
        challenge(scheme, { error: 'invalid_token', errorDescription: 'The access token is not valid yet' }),
      ),
    },
  );
}

/** The token is good, and lacks the scope of this operation (RFC 6750, section 3.1; RFC 9449, section 7.1). */
export function missingScope(scope: string, { scheme = 'Bearer' }: Pick<Caller, 'scheme'>): Refusal {
  return refuse('missing-scope', `This operation needs the scope ${scope}.`, {
    members: { requiredScopes: [scope] },
    ...withChallenge(challenge(scheme, { error: 'insufficient_scope', scope })),
  });
}

/** The keys of the token's issuer cannot be had now, so that it can be neither accepted nor refused. */
export function issuerUnavailable(): Refusal {
  return refuse('capacity-reduced', "The keys of the token's issuer could not be fetched; nothing was processed.", {
    headers: { 'retry-after': '5' },
  });
}
