/**
 * The claims of a credential that a citizen showed, after its checks. The server never stores the values, and nothing that leaves has
 * one.
 */
export type AttestedClaims = {
  readonly clientId: string;
  /** By the names of this interface. */
  readonly claims: Readonly<Record<string, string>>;
  readonly purpose?: string;
  readonly legalBasis?: string;
  readonly nonce?: string;
  /** The citizen whom the client expects. */
  readonly expectedCitizenId?: string;
  /** The assurance that the operator has set for this kind of credential. */
  readonly assurance: { readonly framework: string; readonly level: string };
  readonly evidence: AttestationEvidence;
  readonly link?: AttestedNumber & {
    /** Whether the citizen agreed that the link is kept. */
    readonly consented: boolean;
  };
  /** Whether the administrative number is the citizen id of the register. */
  readonly isAdministrativeNumberCitizenId: boolean;
};

/** The credential and its issuer, as the client may know them. */
export type AttestationEvidence = {
  /** The `vct` or document type. */
  readonly credentialType: string;
  readonly format: string;
  readonly issuer: string;
  /** ISO 3166-1 alpha-2. */
  readonly issuingCountry?: string;
  /** The SHA-256 of the issuer certificate in base64url. */
  readonly certificateDigest: string;
};

/** The personal administrative number of a credential, and the country (ISO 3166-1 alpha-2) that assigned it. */
export type AttestedNumber = { readonly issuingCountry: string; readonly administrativeNumber: string };
