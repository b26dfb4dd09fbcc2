import { scopes } from '../api/operation.ts';
import { type Binding, bindings, type ClientOptions } from '../auth/client.ts';
import { parseCertificateName, parsePinnedCertificate } from '../auth/client-certificate.ts';
import { parseClientKeys } from '../auth/client-keys.ts';
import { groupPurposeTexts, type PurposeTexts, parsePurposeText } from '../auth/purpose-texts.ts';
import { isIssuerUrl } from '../config/setting-types.ts';
import type { Settings } from '../config/settings.ts';
import type { Read } from '../db/database.ts';
import { findPolicy, policyNames } from '../identity/policies/policy-store.ts';
import { parseReturnAddress, returnAddressRequirement } from '../kernel/return-address.ts';
import { singleLinePattern, singleLineRequirement } from '../kernel/single-line-text.ts';
import { parsePublicUrl } from '../net/public-target.ts';
import { readArgumentFile } from './argument-file.ts';
import { messageFlags, parseMessageFlags } from './client-message-flags.ts';
import { UsageError, wrongOption } from './command.ts';
import type { LoggedContext } from './command-context.ts';

/** The parts of a comma-separated list, without empty ones. */
function parseCommaList(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The dependencies of the commands about clients. */
export type ClientsContext = LoggedContext & { readonly settings: Pick<Settings, 'webhookPrivateTargets'> };

const string = { type: 'string' } as const;

/** The flags of `clients create` and `clients update`. */
export const clientFlags = {
  scopes: string,
  purposes: string,
  'legal-bases': string,
  policy: string,
  'return-address': string,
  quota: string,
  jwks: string,
  'jwks-uri': string,
  certificate: string,
  ...messageFlags,
};

/** Parses those flags, except the credential and the scopes. Undefined: the flag is absent; null: `any` or `none`. */
export function parseClientFlags(values: { readonly [Flag in keyof typeof clientFlags]?: string | undefined }) {
  const { purposes, 'legal-bases': legalBases, policy, 'return-address': returnAddress, quota } = values;
  return {
    ...parsePurposes(purposes),
    legalBases: parseListOrAny('--legal-bases', legalBases),
    policy: policy === 'none' ? null : policy,
    returnAddress: returnAddress === undefined ? undefined : parseReturnAddressFlag(returnAddress),
    messages: parseMessageFlags(values),
    quota: quota === undefined ? undefined : parseQuota(quota),
  };
}

function parseListOrAny(flag: string, text: string | undefined): readonly string[] | null | undefined {
  if (text === undefined) return undefined;
  const list = parseCommaList(text);
  if (list.length === 0 || (list.includes('any') && list.length > 1))
    throw wrongOption(flag, 'a comma-separated list, or any', text);
  return list.includes('any') ? null : list;
}

/** The purposes with their texts: `--purposes 'council-tax=Council tax assessment,council-tax@de=Grundsteuer,permit'`. */
function parsePurposes(text: string | undefined): {
  readonly purposes: readonly string[] | null | undefined;
  readonly purposeTexts: PurposeTexts | undefined;
} {
  const parts = parseListOrAny('--purposes', text);
  const labelled = (parts ?? []).flatMap((part) => parsePurposeText(part) ?? []);
  const long = labelled.find((one) => !singleLinePattern.test(one.text) || [...one.text].length > maxPurposeText);
  if (long !== undefined)
    throw new UsageError(`the text of a purpose has 1 to ${maxPurposeText} characters: ${singleLineRequirement}`);
  // null: any purpose.
  const purposes = parts === null ? null : parts?.map((part) => parsePurposeText(part)?.purpose ?? part);
  return { purposes, purposeTexts: groupPurposeTexts(labelled) };
}

/** In characters. */
const maxPurposeText = 200;

/** The scopes of `--scopes`; throws a `UsageError` for none or an unknown one. */
export function parseScopes(text: string | undefined): string[] {
  const names = parseCommaList(text);
  const unknown = names.filter((scope) => !scopes.some((known) => known === scope));
  if (names.length === 0 || unknown.length > 0)
    throw wrongOption('--scopes', `a comma-separated list of ${scopes.join(', ')}`, text);
  return names;
}

/** The burst is the quota of two seconds. */
function parseQuota(text: string): { perSecond: number; burst: number } {
  if (!/^[1-9]\d{0,6}$/.test(text))
    throw wrongOption('--quota', 'a whole number of requests per second, from 1 to 9999999', text);
  return { perSecond: Number(text), burst: 2 * Number(text) };
}

function parseReturnAddressFlag(text: string): readonly string[] | null {
  if (text === 'none') return null;
  const lines = parseReturnAddress(text);
  if (lines === undefined) throw wrongOption('--return-address', `${returnAddressRequirement}, or none`, text);
  return lines;
}

/** The binding with this name; throws a `UsageError` for an unknown one. */
export function parseBinding(text: string): Binding {
  const known = bindings.find((one) => one === text);
  if (known === undefined)
    throw new UsageError(`Expected a binding (${bindings.join(', ')}), received ${JSON.stringify(text)}.`);
  return known;
}

type CredentialFlags = {
  readonly secret?: boolean | undefined;
  readonly jwks?: string | undefined;
  readonly 'jwks-uri'?: string | undefined;
  readonly certificate?: string | undefined;
  readonly issuer?: string | undefined;
};

/** The credential that exactly one flag sets. Reads its file. */
export async function parseCredentialFlags(flags: CredentialFlags, cwd: string): Promise<ClientOptions['credential']> {
  const { secret, jwks, 'jwks-uri': jwksUri, certificate, issuer } = flags;
  const given = [secret === true ? '' : undefined, jwks, jwksUri, certificate, issuer];
  const chosen = given.filter((one) => one !== undefined);
  if (chosen.length !== 1) {
    throw new UsageError(
      `Expected one of --secret, --jwks FILE, --jwks-uri URL, --certificate FILE|dns:NAME and --issuer URL, received ${chosen.length} of them.`,
    );
  }
  if (jwks !== undefined) {
    const keys = parseClientKeys(await readArgumentFile(cwd, jwks));
    if ('fault' in keys) throw new UsageError(`--jwks ${jwks}: ${keys.fault}`);
    return { by: 'keys', jwks: keys };
  }
  if (jwksUri !== undefined) return { by: 'jwks-uri', jwksUri };
  if (certificate !== undefined) {
    const isName = /^(?:dns|uri|ip|email):/.test(certificate);
    const proof = isName
      ? parseCertificateName(certificate)
      : parsePinnedCertificate(await readArgumentFile(cwd, certificate));
    if ('fault' in proof) throw new UsageError(`--certificate ${certificate}: ${proof.fault}`);
    return { by: 'certificate', certificate: proof };
  }
  if (issuer === undefined) return 'secret';
  if (!isIssuerUrl(issuer)) throw wrongOption('--issuer', 'an https:// URL from TRUSTED_ISSUERS', issuer);
  return { by: 'issuer', issuer };
}

/** Throws a `UsageError` if the server would not fetch keys from this URL. */
export function requirePublicJwksUri(
  { settings }: Pick<ClientsContext, 'settings'>,
  credential: ClientOptions['credential'] | undefined,
): void {
  if (credential === undefined || credential === 'secret' || credential.by !== 'jwks-uri') return;
  const { jwksUri } = credential;
  if (jwksUri.length <= maxJwksUri && parsePublicUrl(jwksUri, settings.webhookPrivateTargets) !== undefined) return;
  throw wrongOption('--jwks-uri', `an https URL of a public host, with at most ${maxJwksUri} characters`, jwksUri);
}

/** In characters. */
const maxJwksUri = 2_000;

/** Throws a `UsageError` with the known policies if the policy is unknown. */
export async function requirePolicy(read: Read, name: string | undefined): Promise<void> {
  if (name === undefined || (await findPolicy(read, name)) !== undefined) return;
  throw wrongOption('--policy', `one of ${(await policyNames(read)).join(', ')}`, name);
}
