import type { FailureReason } from './failure-reason.ts';

/** The cause of a reason, and the fix. Each has a page for developers. */
export type ReasonText = { readonly title: string; readonly cause: string; readonly fix: string };

const otherWallet =
  'Ask again. If it fails with one wallet only, report the reason and the name of the wallet to its provider.';
const otherCredential = 'Ask the citizen to renew the credential at the authority that issued it.';
const askAgain = 'Ask again.';

/** The reasons why a presentation has no result. A missing reason does not compile. */
export const reasonTexts: Readonly<Record<FailureReason | 'wallet-error', ReasonText>> = {
  'wallet-error': {
    title: 'Error of the wallet',
    cause:
      'The wallet sent an error instead of a presentation. The member error has it; access_denied means that the citizen declined.',
    fix: 'Ask the citizen whether they want to try again. For another error than access_denied, offer another way to identify.',
  },
  'response-undecryptable': {
    title: 'Response not decryptable',
    cause: 'The response is not encrypted for the key in the request, or not with ECDH-ES and A128GCM or A256GCM.',
    fix: otherWallet,
  },
  'response-malformed': {
    title: 'Response malformed',
    cause: 'The response has no presentation in the form of OpenID4VP 1.0, several presentations, or too many bytes.',
    fix: otherWallet,
  },
  'state-unknown': {
    title: 'State unknown',
    cause: 'The state in the response is not that of the request, so that the response belongs to another request.',
    fix: otherWallet,
  },
  'query-not-satisfied': {
    title: 'Query not satisfied',
    cause: 'The credential does not attest all claims that you asked for.',
    fix: 'Ask for fewer claims, if the policy of your client permits it.',
  },
  'type-not-asked': {
    title: 'Type of credential not asked for',
    cause: 'The wallet presented a credential of another type or format, or several credentials.',
    fix: otherWallet,
  },
  'credential-malformed': {
    title: 'Credential malformed',
    cause: 'The credential is not a valid SD-JWT VC or mdoc, or exceeds a limit.',
    fix: otherWallet,
  },
  'credential-signature': {
    title: 'Signature of the credential wrong',
    cause: 'The signature of the issuer is not valid: the credential was changed, or is a forgery.',
    fix: 'Do not accept the credential. Offer another way to identify.',
  },
  'issuer-not-trusted': {
    title: 'Issuer not trusted',
    cause: 'The certificate of the issuer leads to no trust anchor of this server, or the issuer is no longer trusted.',
    fix: 'Ask the operator of this server whether the list of trusted issuers is current.',
  },
  'credential-expired': {
    title: 'Credential expired',
    cause: 'The credential is expired, or not valid yet.',
    fix: otherCredential,
  },
  'credential-revoked': {
    title: 'Credential revoked',
    cause: 'The issuer has revoked the credential.',
    fix: otherCredential,
  },
  'credential-suspended': {
    title: 'Credential suspended',
    cause: 'The issuer has suspended the credential for a time.',
    fix: otherCredential,
  },
  'status-unavailable': {
    title: 'Status not available',
    cause:
      'The server has no current list that says whether the credential is revoked, and the operator refuses such credentials.',
    fix: 'Ask again in a few minutes: the server fetches the list meanwhile. If it fails again, ask the operator.',
  },
  'holder-binding-missing': {
    title: 'Holder binding missing',
    cause: 'The wallet did not prove that it holds the key of the credential.',
    fix: otherWallet,
  },
  'holder-binding-signature': {
    title: 'Signature of the holder wrong',
    cause:
      'The signature with the key of the credential is not valid: somebody else presents it, or the session is another one.',
    fix: 'Do not accept the credential. Ask again.',
  },
  'holder-binding-time': {
    title: 'Time of the holder binding wrong',
    cause: 'The wallet signed the presentation too long ago, or in the future.',
    fix: 'Ask the citizen to check the clock of the device, and ask again.',
  },
  'nonce-mismatch': {
    title: 'Nonce wrong',
    cause: 'The presentation has the nonce of another request: it is a replay.',
    fix: askAgain,
  },
  'audience-mismatch': {
    title: 'Audience wrong',
    cause: 'The presentation is for another verifier.',
    fix: otherWallet,
  },
  'disclosure-invalid': {
    title: 'Disclosure invalid',
    cause: 'A disclosure of the SD-JWT is repeated, unused or malformed.',
    fix: otherWallet,
  },
  'digest-mismatch': {
    title: 'Digest wrong',
    cause: 'An attribute or the presentation was changed after it was signed.',
    fix: 'Do not accept the credential. Ask again.',
  },
  'other-session': {
    title: 'Other session',
    cause:
      'The code did not come back in the session that began the presentation. Somebody may have let another person answer.',
    fix: 'Ask again, and send the link or QR code only to the person in your session.',
  },
};
