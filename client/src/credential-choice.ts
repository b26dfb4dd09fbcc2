import { mdocPidType, mdocValueAt } from './sandbox-mdoc.ts';
import type { PidAttributes } from './sandbox-people.ts';
import type { DcqlPath } from './sandbox-pid.ts';
import { SandboxWalletError, type WalletFormat, walletFormats } from './wallet-faults.ts';
import type { CredentialQuery, WalletRequestObject } from './wallet-request.ts';

/** The credential that answers a request, and the claims to disclose. */
export type CredentialChoice = {
  readonly queryId: string;
  readonly format: WalletFormat;
  readonly type: string;
  readonly paths: readonly DcqlPath[];
};

/** The `vct` of a PID (PID Rulebook 1.7, section 4). Domestic types start with it. */
const pidVct = 'urn:eudi:pid:';

type Wallet = {
  readonly attributes: PidAttributes;
  /** The only format that the wallet has; undefined for both. */
  readonly format: WalletFormat | undefined;
  readonly authorityKeyId: string;
};

/**
 * Chooses the first credential of a query of DCQL that the wallet has (OpenID4VP 1.0, section 6.4). Throws a `SandboxWalletError` that says
 * why none fits.
 */
export function chooseCredential({ dcql_query: query }: WalletRequestObject, wallet: Wallet): CredentialChoice {
  const { credentials, credential_sets: sets = [{ options: [credentials.map(({ id }) => id)] }] } = query;
  const ids = sets.flatMap(({ options }) => options.flatMap((option) => (option.length === 1 ? option : [])));
  const ordered = ids.flatMap((id) => credentials.filter((credential) => credential.id === id));
  const reasons: string[] = [];
  for (const credential of ordered) {
    const choice = tryCredential(credential, wallet);
    if (typeof choice !== 'string') return choice;
    reasons.push(`${credential.id}: ${choice}.`);
  }
  throw new SandboxWalletError(['The wallet has no credential for this request.', ...reasons].join(' '));
}

/** The choice, or why the wallet cannot answer with this credential. */
function tryCredential(
  query: CredentialQuery,
  { attributes, format, authorityKeyId }: Wallet,
): CredentialChoice | string {
  const known = walletFormats.find((one) => one === query.format);
  if (known === undefined || (format ?? known) !== known)
    return `the wallet has no credential in the format ${query.format}`;
  const { doctype_value: documentType, vct_values: vcts = [] } = query.meta;
  const mdocType = documentType === mdocPidType ? mdocPidType : undefined;
  const type = known === 'mso_mdoc' ? mdocType : vcts.find((one) => one.startsWith(pidVct));
  if (type === undefined) return 'the sandbox has only PIDs';
  const authorities = query.trusted_authorities ?? [];
  if (authorities.length > 0 && !authorities.some(({ values }) => values.includes(authorityKeyId)))
    return 'the server does not trust the sandbox issuer: use a demo, or put the sandbox CA into WALLET_TRUST of a sandbox';
  const has = (path: DcqlPath) =>
    (known === 'mso_mdoc' ? mdocValueAt(attributes, path) : claimAt(attributes, path)) !== undefined;
  return claimsToShow(query, has, { queryId: query.id, format: known, type });
}

function claimsToShow(
  { claims = [], claim_sets: sets }: CredentialQuery,
  has: (path: DcqlPath) => boolean,
  choice: Omit<CredentialChoice, 'paths'>,
): CredentialChoice | string {
  const chosen = (sets ?? [claims.map(({ id = '' }) => id)]).map((set) =>
    sets === undefined ? claims : claims.filter(({ id = '' }) => set.includes(id)),
  );
  const fitting = chosen.find((set) => set.every(({ path }) => has(path)));
  if (fitting !== undefined) return { ...choice, paths: fitting.map(({ path }) => path) };
  const missing = chosen.at(-1)?.find(({ path }) => !has(path))?.path ?? [];
  return `the person has no ${missing.filter((step) => step !== null).join('.')}`;
}

function claimAt(attributes: PidAttributes, path: DcqlPath): unknown {
  let value: unknown = attributes;
  for (const step of path.filter((one) => one !== null)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}
