import type { Scheme } from './challenge.ts';

/** A token bucket: `perSecond` requests flow in each second, and `burst` of them may be spent at once. */
export type Quota = { readonly perSecond: number; readonly burst: number };

/** Who calls, as the access token proved it. Without `purposes` any purpose may be stated; without `quota` the default holds. */
export type Caller = {
  readonly clientId: string;
  /** The scopes of the token that the client is still allowed. */
  readonly scopes: ReadonlySet<string>;
  readonly purposes?: ReadonlySet<string> | undefined;
  readonly quota?: Quota | undefined;
  /** The scheme in which its token has to come, and is challenged; without it Bearer. */
  readonly scheme?: Scheme;
  /** The citizen who is at the client, by the word of a trusted issuer. */
  readonly citizenId?: string | undefined;
};
