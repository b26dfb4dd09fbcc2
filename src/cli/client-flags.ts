import { type Binding, bindings, type WantedClient } from '../access/client.ts';
import { namedProof, pinnedProof } from '../access/client-certificate.ts';
import { readClientKeys } from '../access/client-keys.ts';
import { scopes } from '../api/operation.ts';
import { isIssuer } from '../config/setting-fault.ts';
import { findPolicy, policyNames } from '../identity/policy-store.ts';
import { parseReturnAddress, returnAddressForm } from '../kernel/return-address.ts';
import type { Read } from '../store/db.ts';
import { UsageError } from './command.ts';
import { readNamed } from './named-file.ts';

/** The parts of a list with commas. */
function listOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** What `--purposes` or `--legal-bases` lists; null: any. */
export function listOrAny(flag: string, text: string | undefined): readonly string[] | null | undefined {
  if (text === undefined) return undefined;
  const list = listOf(text);
  if (list.length === 0 || (list.includes('any') && list.length > 1))
    throw new UsageError(`${flag} is a list with commas, or any`);
  return list.includes('any') ? null : list;
}

/** The scopes of `--scopes`, at least one. */
export function scopesOf(text: string | undefined): string[] {
  const asked = listOf(text);
  const unknown = asked.filter((scope) => !scopes.some((known) => known === scope));
  if (asked.length === 0 || unknown.length > 0)
    throw new UsageError(`--scopes is a list with commas out of: ${scopes.join(', ')}`);
  return asked;
}

/** The quota of `--quota`; twice of a second may be spent at once. */
export function quotaOf(text: string): { perSecond: number; burst: number } {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new UsageError('--quota is a whole number of requests a second');
  return { perSecond: Number(text), burst: 2 * Number(text) };
}

/** The lines of `--return-address`; null where it is none of its own. */
export function returnAddressOf(text: string): readonly string[] | null {
  if (text === 'none') return null;
  const lines = parseReturnAddress(text);
  if (lines === undefined) throw new UsageError(`--return-address is ${returnAddressForm}; or none`);
  return lines;
}

/** The binding of that name. */
export function bindingOf(text: string): Binding {
  const known = bindings.find((one) => one === text);
  if (known === undefined) throw new UsageError(`a binding is ${bindings.join(', ')}, not '${text}'`);
  return known;
}

export type GivenCredential = {
  readonly secret?: boolean | undefined;
  readonly jwks?: string | undefined;
  readonly certificate?: string | undefined;
  readonly issuer?: string | undefined;
};

/** What the one flag of a credential names, its file read. */
export function credentialOf(given: GivenCredential, cwd: string): WantedClient['credential'] {
  const { secret, jwks, certificate, issuer } = given;
  const chosen = [secret === true ? '' : undefined, jwks, certificate, issuer].filter((one) => one !== undefined);
  if (chosen.length !== 1) {
    throw new UsageError('choose one of --secret, --jwks FILE, --certificate FILE|dns:NAME and --issuer URL');
  }
  if (jwks !== undefined) {
    const keys = readClientKeys(readNamed(cwd, jwks));
    if ('fault' in keys) throw new UsageError(`--jwks ${jwks}: ${keys.fault}`);
    return { by: 'keys', jwks: keys };
  }
  if (certificate !== undefined) {
    const isName = /^(?:dns|uri|ip|email):/.test(certificate);
    const proof = isName ? namedProof(certificate) : pinnedProof(readNamed(cwd, certificate));
    if ('fault' in proof) throw new UsageError(`--certificate ${certificate}: ${proof.fault}`);
    return { by: 'certificate', certificate: proof };
  }
  if (issuer === undefined) return 'secret';
  if (!isIssuer(issuer)) throw new UsageError('--issuer is an https:// URL, as in TRUSTED_ISSUERS');
  return { by: 'issuer', issuer };
}

/** Refuses a policy that no server knows, with those that there are. */
export async function demandPolicy(read: Read, name: string | undefined): Promise<void> {
  if (name === undefined || (await findPolicy(read, name)) !== undefined) return;
  throw new UsageError(`--policy takes ${(await policyNames(read)).join(', ')}, not '${name}'.`);
}
