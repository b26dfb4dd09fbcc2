/** The claims of a checked credential of a wallet. The server never stores or returns their values. */
export type AttestedClaims = {
  readonly clientId: string;
  /** By the names of the claims of a verification. */
  readonly claims: Readonly<Record<string, string>>;
  readonly purpose?: string | undefined;
  readonly legalBasis?: string | undefined;
  readonly nonce?: string | undefined;
  /** The citizen whom the client expects. */
  readonly expectedCitizenId?: string | undefined;
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
