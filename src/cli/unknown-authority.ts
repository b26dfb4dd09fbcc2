/** Node.js appends this to the error for a certificate of an unknown authority. */
const unknownAuthorityHint = '; if the root CA is installed locally, try running Node.js with --use-system-ca';

/** The finding and the fix for the error of an unknown certificate authority; undefined for other messages. */
export function explainUnknownAuthority(message: string): { readonly found: string; readonly fix: string } | undefined {
  if (!message.includes(unknownAuthorityHint)) return undefined;
  const fix = 'if your own authority issued it, set NODE_EXTRA_CA_CERTS: docs/operating.md#authorities';
  return { found: message.replace(unknownAuthorityHint, ''), fix };
}
