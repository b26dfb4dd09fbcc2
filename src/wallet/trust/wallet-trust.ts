import type { CredentialFormat } from '../formats/presented-credential.ts';

/** A kind of credential that the operator trusts, such as `pid`. */
export type CredentialKind = {
  readonly name: string;
  /** The `vct` values of an SD-JWT VC, and the document type of an mdoc. */
  readonly types: { readonly [format in CredentialFormat]?: readonly string[] };
  readonly assurance: { readonly framework: string; readonly level: string };
  /** How a credential is treated if its status list is not known or does not say, or if it has a status of another kind. */
  readonly statusUnknown: 'refuse' | 'accept';
  /** The issuing country (alpha-2) whose administrative number is the citizen id of the register. */
  readonly citizenIdFrom?: string;
};

/** The status of a credential. `unknown`: there is no valid list, or the list does not say. */
export type CredentialStatus = 'valid' | 'revoked' | 'suspended' | 'unknown';

/** The issuer of a credential. */
export type CredentialIssuer = {
  /** In the list of trusted entities, or in the certificate of its anchor. */
  readonly name: string;
  /** The SHA-256 fingerprint of its anchor. A key identifier is no proof: every issuer chooses its own. */
  readonly anchor: string;
  /** The countries in the certificate that signed the credential, and in the anchor. An issuer with a CA chooses the first one itself. */
  readonly certificateCountry: string | undefined;
  readonly anchorCountry: string | undefined;
};

/** The trusted issuers, and the revoked credentials. It reads lists in memory and in the database, and never the network. */
export type WalletTrust = {
  /** By name. Empty if this server has no WALLET_TRUST. */
  readonly kinds: ReadonlyMap<string, CredentialKind>;
  /**
   * Base64url subject key identifiers of the anchors now, for `trusted_authorities` of the type `aki` (OpenID4VP, section 6.1.1.1). Empty
   * if they do not name all anchors: then a query must not restrict the issuers.
   */
  keyIdsOf(kind: CredentialKind): readonly string[];
  /** The countries (alpha-2) of the anchors now. Numbers of other countries are not used. Empty while no country is known. */
  countriesOf(kind: CredentialKind): ReadonlySet<string>;
  /** The issuer whose anchor the chain ends at. The leaf is first, each next certificate issued the one before. */
  findIssuer(
    kind: CredentialKind,
    certificates: readonly Uint8Array[],
    now: number,
  ): Promise<CredentialIssuer | undefined>;
  /** The status in a list of the same issuer. An address that was not seen before is `unknown`, and the job fetches it. */
  statusOf(
    kind: CredentialKind,
    status: { readonly uri: string; readonly index: number },
    now: number,
    issuer: CredentialIssuer,
  ): Promise<CredentialStatus>;
};
