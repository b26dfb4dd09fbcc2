/** What Node.js says beside a certificate whose authority it does not know. */
const unknownAuthority = '; if the root CA is installed locally, try running Node.js with --use-system-ca';

/** Splits what was said of a certificate whose authority is not known here from what to do; undefined of all else. */
export function ofUnknownAuthority(said: string): { readonly found: string; readonly fix: string } | undefined {
  if (!said.includes(unknownAuthority)) return undefined;
  const fix =
    'where it is by an authority of your own, name that in NODE_EXTRA_CA_CERTS: docs/operating.md#authorities';
  return { found: said.replace(unknownAuthority, ''), fix };
}
