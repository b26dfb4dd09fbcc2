/** The format of a credential: SD-JWT VC, or mdoc of ISO 18013-5. */
export type CredentialFormat = 'dc+sd-jwt' | 'mso_mdoc';
