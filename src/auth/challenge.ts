import { formatInstant } from '../kernel/clock.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import { tokenPath } from './access-token.ts';
import type { Caller, Scheme } from './caller.ts';
import { acceptedAlgs } from './client-keys.ts';
import type { DpopProofFault } from './dpop-proof.ts';

type ChallengeMembers = {
  readonly error?: string | undefined;
  readonly errorDescription?: string | undefined;
  readonly scope?: string | undefined;
  readonly resourceMetadata?: string | undefined;
};

const realm = 'citizen-services';

/** One `WWW-Authenticate` value (RFC 6750 section 3, RFC 9728 section 5.1). All texts are ours, without quotes and backslashes. */
function challenge(scheme: Scheme, members: ChallengeMembers): string {
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

/** The refusal of a request without a token: the challenge has the scope and the metadata, and no error (RFC 6750, section 3.1). */
export function noAccessToken(publicUrl: string, scope: string | undefined): Refusal {
  const resourceMetadata = `${publicUrl}/.well-known/oauth-protected-resource/v1`;
  return refuse(
    'no-access-token',
    `Send 'Authorization: Bearer <ACCESS_TOKEN>'. Request an access token at ${publicUrl}${tokenPath}.`,
    withChallenge([challenge('Bearer', { scope, resourceMetadata }), challenge('DPoP', { scope, resourceMetadata })]),
  );
}

/** The same refusal for every token that is not accepted, whatever its fault. The challenge has the required scheme. */
export function invalidAccessToken(scheme: Scheme = 'Bearer'): Refusal {
  const errorDescription = 'The access token is not valid';
  return refuse(
    'invalid-access-token',
    undefined,
    withChallenge(challenge(scheme, { error: 'invalid_token', errorDescription })),
  );
}

/** The refusal of an invalid DPoP proof of a valid token (RFC 9449, section 7.1), with the current nonce if nonces are required. */
export function refusedProof({ error, description }: DpopProofFault, nonce: string | undefined): Refusal {
  const headers = {
    'www-authenticate': challenge('DPoP', { error, errorDescription: description }),
    ...(nonce === undefined ? {} : { 'dpop-nonce': nonce }),
  };
  const slug = error === 'use_dpop_nonce' ? 'dpop-nonce-needed' : 'invalid-dpop-proof';
  return refuse(slug, `The DPoP proof is not accepted: ${description}.`, { headers });
}

/** The refusal of an expired token. Call it only after the signature was verified. Times in epoch milliseconds. */
export function expiredAccessToken(expiredAt: number, now: number, scheme: Scheme = 'Bearer'): Refusal {
  const errorDescription = 'The access token expired';
  const ago = Math.max(0, Math.floor((now - expiredAt) / 1_000));
  return refuse(
    'expired-access-token',
    `The token expired ${ago} s ago by this server's clock. If this repeats, compare your clock with serverTime.`,
    {
      members: { serverTime: formatInstant(now) },
      ...withChallenge(challenge(scheme, { error: 'invalid_token', errorDescription })),
    },
  );
}

/** The refusal of a token that is ahead of our clock. Call it only after the signature was verified. */
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

/** The refusal of a valid token without the scope of the operation (RFC 6750, section 3.1; RFC 9449, section 7.1). */
export function missingScope(scope: string, { scheme = 'Bearer' }: Pick<Caller, 'scheme'>): Refusal {
  return refuse('missing-scope', `This operation requires the scope ${scope}.`, {
    members: { requiredScopes: [scope] },
    ...withChallenge(challenge(scheme, { error: 'insufficient_scope', scope })),
  });
}

/** The refusal while the keys of the token's issuer cannot be fetched: the token may be valid. */
export function issuerUnavailable(): Refusal {
  return refuse(
    'capacity-reduced',
    "The server could not fetch the keys of the token's issuer. It did not process the request.",
    {
      headers: { 'retry-after': '5' },
    },
  );
}
