/** A token bucket: `perSecond` requests are added each second, up to `burst`. */
export type Quota = { readonly perSecond: number; readonly burst: number };

/** The schemes of the `Authorization` header for access tokens (RFC 6750, RFC 9449). */
export type Scheme = 'Bearer' | 'DPoP';

/** The authenticated caller of a request. */
export type Caller = {
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** The purposes that the client may state; undefined for any. */
  readonly purposes?: ReadonlySet<string> | undefined;
  readonly quota?: Quota | undefined;
  /** The scheme that its token requires, and that challenges use; Bearer by default. */
  readonly scheme?: Scheme;
  /** The citizen who uses the client, as authenticated by a trusted issuer. */
  readonly citizenId?: string | undefined;
  /** Identifies the sign-in of the citizen at the issuer, or the token if the issuer does not name the session. */
  readonly session?: string | undefined;
};
