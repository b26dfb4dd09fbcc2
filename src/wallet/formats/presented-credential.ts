import { isObject } from '../../kernel/is-object.ts';
import { PresentationFailure } from '../failure-reason.ts';
import { presentationLimits } from './presentation-limits.ts';

/** The formats of credentials, as OpenID4VP names them. */
export type CredentialFormat = 'dc+sd-jwt' | 'mso_mdoc';

/** A credential with valid signatures of its issuer and holder. The chain of the issuer and the status are not checked yet. */
export type PresentedCredential = {
  readonly format: CredentialFormat;
  /** `vct` or document type. */
  readonly type: string;
  /** SD-JWT: the claims. mdoc: `{ [namespace]: { [element]: value } }`, with dates as YYYY-MM-DD. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** DER, the certificate of the issuer first, as presented. The chain is not checked. */
  readonly certificates: readonly Uint8Array[];
  /** Absent if the issuer does not revoke this credential. */
  readonly status?: PresentedStatus;
};

/** The values that the request fixed, which a presentation must confirm. */
export type ExpectedPresentation = {
  /** The whole client identifier, with its prefix. */
  readonly clientId: string;
  readonly nonce: string;
  readonly responseUri: string;
  /** The SHA-256 thumbprint (RFC 7638) of the encryption key of this request. */
  readonly encryptionKeyThumbprint: Uint8Array;
  /** Epoch ms. */
  readonly now: number;
};

/** An entry in a token status list. */
export type StatusReference = { readonly uri: string; readonly index: number };

/** `unsupported`: the issuer uses another mechanism than a token status list, so the server cannot know whether the credential is revoked. */
export type PresentedStatus = StatusReference | 'unsupported';

/** Reads the `status` of an SD-JWT or mdoc. Throws a `PresentationFailure` if it is malformed. */
export function readPresentedStatus(status: unknown): PresentedStatus | undefined {
  if (status === undefined) return undefined;
  if (!isObject(status)) throw new PresentationFailure('credential-malformed');
  const entry = status['status_list'];
  if (entry === undefined) return 'unsupported';
  const [uri, index] = isObject(entry) ? [entry['uri'], entry['idx']] : [];
  if (typeof uri !== 'string' || uri.length > presentationLimits.statusUri || !URL.canParse(uri))
    throw new PresentationFailure('credential-malformed');
  if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0)
    throw new PresentationFailure('credential-malformed');
  return { uri, index };
}
