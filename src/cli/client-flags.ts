import { scopes } from '../api/operation.ts';
import { type Binding, bindings, type ClientOptions } from '../auth/client.ts';
import { parseCertificateName, parsePinnedCertificate } from '../auth/client-certificate.ts';
import { parseClientKeys } from '../auth/client-keys.ts';
import { isIssuerUrl } from '../config/setting-types.ts';
import type { Read } from '../db/database.ts';
import { findPolicy, policyNames } from '../identity/policies/policy-store.ts';
import { parseReturnAddress, returnAddressRequirement } from '../kernel/return-address.ts';
import { readArgumentFile } from './argument-file.ts';
import { UsageError } from './command.ts';

/** The parts of a list with commas. */
function parseCommaList(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** What `--purposes` or `--legal-bases` lists; null: any. */
export function parseListOrAny(flag: string, text: string | undefined): readonly string[] | null | undefined {
  if (text === undefined) return undefined;
  const list = parseCommaList(text);
  if (list.length === 0 || (list.includes('any') && list.length > 1))
    throw new UsageError(`${flag} is a list with commas, or any`);
  return list.includes('any') ? null : list;
}

/** The scopes of `--scopes`, at least one. */
export function parseScopes(text: string | undefined): string[] {
  const asked = parseCommaList(text);
  const unknown = asked.filter((scope) => !scopes.some((known) => known === scope));
  if (asked.length === 0 || unknown.length > 0)
    throw new UsageError(`--scopes is a list with commas out of: ${scopes.join(', ')}`);
  return asked;
}

/** The quota of `--quota`; twice of a second may be spent at once. */
export function parseQuota(text: string): { perSecond: number; burst: number } {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new UsageError('--quota is a whole number of requests a second');
  return { perSecond: Number(text), burst: 2 * Number(text) };
}

/** The lines of `--return-address`; null where it is none of its own. */
export function parseReturnAddressFlag(text: string): readonly string[] | null {
  if (text === 'none') return null;
  const lines = parseReturnAddress(text);
  if (lines === undefined) throw new UsageError(`--return-address is ${returnAddressRequirement}; or none`);
  return lines;
}

/** The binding of that name. */
export function parseBinding(text: string): Binding {
  const known = bindings.find((one) => one === text);
  if (known === undefined) throw new UsageError(`a binding is ${bindings.join(', ')}, not '${text}'`);
  return known;
}

export type CredentialFlags = {
  readonly secret?: boolean | undefined;
  readonly jwks?: string | undefined;
  readonly certificate?: string | undefined;
  readonly issuer?: string | undefined;
};

/** What the one flag of a credential names, its file read. */
export function parseCredentialFlags(given: CredentialFlags, cwd: string): ClientOptions['credential'] {
  const { secret, jwks, certificate, issuer } = given;
  const chosen = [secret === true ? '' : undefined, jwks, certificate, issuer].filter((one) => one !== undefined);
  if (chosen.length !== 1) {
    throw new UsageError('choose one of --secret, --jwks FILE, --certificate FILE|dns:NAME and --issuer URL');
  }
  if (jwks !== undefined) {
    const keys = parseClientKeys(readArgumentFile(cwd, jwks));
    if ('fault' in keys) throw new UsageError(`--jwks ${jwks}: ${keys.fault}`);
    return { by: 'keys', jwks: keys };
  }
  if (certificate !== undefined) {
    const isName = /^(?:dns|uri|ip|email):/.test(certificate);
    const proof = isName
      ? parseCertificateName(certificate)
      : parsePinnedCertificate(readArgumentFile(cwd, certificate));
    if ('fault' in proof) throw new UsageError(`--certificate ${certificate}: ${proof.fault}`);
    return { by: 'certificate', certificate: proof };
  }
  if (issuer === undefined) return 'secret';
  if (!isIssuerUrl(issuer)) throw new UsageError('--issuer is an https:// URL, as in TRUSTED_ISSUERS');
  return { by: 'issuer', issuer };
}

/** Refuses a policy that no server knows, with those that there are. */
export async function requirePolicy(read: Read, name: string | undefined): Promise<void> {
  if (name === undefined || (await findPolicy(read, name)) !== undefined) return;
  throw new UsageError(`--policy takes ${(await policyNames(read)).join(', ')}, not '${name}'.`);
}
