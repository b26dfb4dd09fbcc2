/** A token bucket: `perSecond` requests are added each second, up to `burst`. */
export type Quota = { readonly perSecond: number; readonly burst: number };

/** The schemes of the `Authorization` header for access tokens (RFC 6750, RFC 9449). */
export type Scheme = 'Bearer' | 'DPoP';

/** The rights of staff. Roles at the issuer map to them (STAFF_ROLES). A client never has one. */
export const staffScopes = ['staff:support', 'staff:send', 'staff:approve', 'staff:operate', 'staff:audit'] as const;
export type StaffScope = (typeof staffScopes)[number];

/** A member of staff, as authenticated by STAFF_ISSUER. */
export type StaffMember = {
  /** The claim `sub`, which identifies the person at the issuer. */
  readonly subject: string;
  /** The display name; the subject if the token has no name. */
  readonly name: string;
  /** The client of the person's service; null if the person belongs to none. */
  readonly service: string | null;
};

/** The authenticated caller of a request. */
export type Caller = {
  /** The id of the client. For staff, a pseudonym of the person, so that each person has a quota. */
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** The purposes that the client may state; undefined for any. */
  readonly purposes?: ReadonlySet<string> | undefined;
  readonly quota?: Quota | undefined;
  /** The scheme that its token requires, and that challenges use; Bearer by default. */
  readonly scheme?: Scheme;
  /** The citizen who uses the client, as authenticated by a trusted issuer. */
  readonly citizenId?: string | undefined;
  /** Identifies the sign-in of the citizen on the pages or at the issuer, or the token if the issuer does not name the session. */
  readonly session?: string | undefined;
  /** The member of staff who uses the staff pages. Such a caller has only staff scopes. */
  readonly staff?: StaffMember | undefined;
};
