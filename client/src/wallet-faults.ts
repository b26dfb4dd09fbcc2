/** The formats of credentials (OpenID4VP 1.0, appendix B). */
export const walletFormats = ['dc+sd-jwt', 'mso_mdoc'] as const;
/** One of `walletFormats`. */
export type WalletFormat = (typeof walletFormats)[number];

type ReasonByFormat = Readonly<Record<WalletFormat, string | undefined>>;

const both = (reason: string): ReasonByFormat => ({ 'dc+sd-jwt': reason, mso_mdoc: reason });
const onlySdJwt = (reason: string): ReasonByFormat => ({ 'dc+sd-jwt': reason, mso_mdoc: undefined });

/**
 * The faults that the wallet can make on purpose, with the reason for which a server refuses each; undefined where a format does not have
 * the fault. The signature of an mdoc covers the whole session, so each wrong value breaks it.
 */
export const walletFaults = {
  'wrong-nonce': { 'dc+sd-jwt': 'nonce-mismatch', mso_mdoc: 'holder-binding-signature' },
  'wrong-audience': { 'dc+sd-jwt': 'audience-mismatch', mso_mdoc: 'holder-binding-signature' },
  'wrong-response-uri': { 'dc+sd-jwt': undefined, mso_mdoc: 'holder-binding-signature' },
  'wrong-disclosure-hash': onlySdJwt('digest-mismatch'),
  'old-proof': onlySdJwt('holder-binding-time'),
  'future-proof': onlySdJwt('holder-binding-time'),
  'no-proof': both('holder-binding-missing'),
  'proof-signature': both('holder-binding-signature'),
  'credential-signature': both('credential-signature'),
  'changed-attribute': { 'dc+sd-jwt': 'disclosure-invalid', mso_mdoc: 'digest-mismatch' },
  'missing-attribute': both('query-not-satisfied'),
  'expired-credential': both('credential-expired'),
  'wrong-type': both('type-not-asked'),
  'unknown-status': both('status-unavailable'),
  'unknown-issuer': both('issuer-not-trusted'),
  'wrong-state': both('state-unknown'),
  'wrong-key': both('response-undecryptable'),
} as const satisfies Readonly<Record<string, ReasonByFormat>>;

/** The name of a fault in `walletFaults`. */
export type WalletFault = keyof typeof walletFaults;

/** Thrown when the wallet does not answer. The message says what was expected, and what to do. */
export class SandboxWalletError extends Error {
  override readonly name = 'SandboxWalletError';
}
