import { toInstant } from '../kernel/clock.ts';
import { type Refusal, refuse } from '../kernel/problem.ts';

/** What a challenge says besides its scheme and realm; members that are undefined are left out. */
export type ChallengeMembers = {
  readonly error?: string | undefined;
  readonly errorDescription?: string | undefined;
  readonly scope?: string | undefined;
  readonly resourceMetadata?: string | undefined;
};

const realm = 'citizen-services';

/** One `WWW-Authenticate` value (RFC 6750 section 3, RFC 9728 section 5.1). Texts are ours: none holds a quote or backslash. */
export function challenge(scheme: 'Bearer', members: ChallengeMembers): string {
  const named = {
    realm,
    error: members.error,
    error_description: members.errorDescription,
    scope: members.scope,
    resource_metadata: members.resourceMetadata,
  };
  const parts = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${value}"`]));
  return `${scheme} ${parts.join(', ')}`;
}

const withChallenge = (value: string) => ({ headers: { 'www-authenticate': value } });

/** No token came: the challenge names scope and metadata, and no error (RFC 6750, section 3.1). */
export function noAccessToken(publicUrl: string, scope: string | undefined): Refusal {
  const resourceMetadata = `${publicUrl}/.well-known/oauth-protected-resource/v1`;
  return refuse(
    'no-access-token',
    "Send 'Authorization: Bearer <ACCESS_TOKEN>'. Get a token from the authorization server named in resource_metadata.",
    withChallenge(challenge('Bearer', { scope, resourceMetadata })),
  );
}

/** The one answer to every token that is not accepted, whatever is wrong with it. */
export function invalidAccessToken(): Refusal {
  const errorDescription = 'The access token is not valid';
  return refuse(
    'invalid-access-token',
    undefined,
    withChallenge(challenge('Bearer', { error: 'invalid_token', errorDescription })),
  );
}

/** The token was good until its time was over; only said once its signature was verified. Instants in epoch ms. */
export function expiredAccessToken(expiredAt: number, now: number): Refusal {
  const errorDescription = 'The access token expired';
  const ago = Math.max(0, Math.floor((now - expiredAt) / 1_000));
  return refuse(
    'expired-access-token',
    `The token expired ${ago} s ago by this server's clock. If this repeats, check your clock against serverTime.`,
    {
      members: { serverTime: toInstant(now) },
      ...withChallenge(challenge('Bearer', { error: 'invalid_token', errorDescription })),
    },
  );
}

/** The token is good, and lacks the scope of this operation. */
export function missingScope(scope: string): Refusal {
  return refuse('missing-scope', `This operation needs the scope ${scope}.`, {
    members: { requiredScopes: [scope] },
    ...withChallenge(challenge('Bearer', { error: 'insufficient_scope', scope })),
  });
}

/** The keys of the token's issuer cannot be had now, so that it can be neither accepted nor refused. */
export function issuerUnavailable(): Refusal {
  return refuse('capacity-reduced', "The keys of the token's issuer could not be fetched; nothing was processed.", {
    headers: { 'retry-after': '5' },
  });
}
