/** What Node.js says beside a certificate whose authority it does not know. */
const unknownAuthorityHint = '; if the root CA is installed locally, try running Node.js with --use-system-ca';

/** Splits what was said of a certificate whose authority is not known here from what to do; undefined of all else. */
export function explainUnknownAuthority(message: string): { readonly found: string; readonly fix: string } | undefined {
  if (!message.includes(unknownAuthorityHint)) return undefined;
  const fix =
    'where it is by an authority of your own, name that in NODE_EXTRA_CA_CERTS: docs/operating.md#authorities';
  return { found: message.replace(unknownAuthorityHint, ''), fix };
}
