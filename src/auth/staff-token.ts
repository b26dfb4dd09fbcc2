import { hash } from 'node:crypto';
import { SettingError, type Settings } from '../config/settings.ts';
import { type AccessGrant, isExternalId } from './access-token.ts';
import { type Caller, type StaffScope, staffScopes } from './caller.ts';

/** The claims of STAFF_ISSUER that give a person rights, and the client that its tokens must name. */
export type StaffTokenRules = {
  readonly issuer: string;
  readonly clientId: string;
  readonly rolesClaim: string;
  readonly serviceClaim: string;
  /** The scopes of each role. */
  readonly roles: ReadonlyMap<string, ReadonlySet<StaffScope>>;
};

/** The rules of the settings; undefined without STAFF_ISSUER. Throws `SettingError` for settings that contradict each other. */
export function staffTokenRulesOf(settings: Settings): StaffTokenRules | undefined {
  const { staffIssuer: issuer, staffClientId: clientId, staffRolesClaim, staffClientClaim, staffRoles } = settings;
  if (issuer === undefined) return undefined;
  if (settings.trustedIssuers.includes(issuer))
    throw new SettingError('STAFF_ISSUER', 'expected an issuer that is not in TRUSTED_ISSUERS, which are for citizens');
  if (issuer === settings.publicUrl) throw new SettingError('STAFF_ISSUER', 'expected another URL than PUBLIC_URL');
  if (clientId === undefined) throw new SettingError('STAFF_CLIENT_ID', 'STAFF_ISSUER requires it');
  const roles = new Map([...staffRoles].map(([role, names]) => [role, scopesOfRole(role, names)]));
  return { issuer, clientId, rolesClaim: staffRolesClaim, serviceClaim: staffClientClaim, roles };
}

function scopesOfRole(role: string, names: readonly string[]): ReadonlySet<StaffScope> {
  const found = staffScopes.filter((scope) => names.includes(scope));
  if (found.length < new Set(names).size)
    throw new SettingError('STAFF_ROLES', `expected only ${staffScopes.join(', ')} for the role ${role}`);
  return new Set(found);
}

/** These apply only to the service of the person, so a token without the claim of the service does not give them. */
const scopesOfService: ReadonlySet<string> = new Set<StaffScope>(['staff:support', 'staff:send']);

/**
 * The member of staff whom verified claims name; undefined if the token is for another client, names a citizen, or has a malformed
 * claim. The staff log names users of the shell as `shell:NAME` and clients as `client:ID`, so a token with such a subject is refused.
 * A person without a known role is a caller without any right.
 */
export function parseStaffCaller(
  claims: Readonly<Record<string, unknown>>,
  grant: AccessGrant,
  rules: StaffTokenRules,
): Caller | undefined {
  const { sub: subject, name } = claims;
  const service = claims[rules.serviceClaim];
  const roles = rolesOf(claims[rules.rolesClaim]);
  if (grant.clientId !== rules.clientId || grant.citizenId !== undefined || !isExternalId(subject)) return undefined;
  if (/^(?:shell|client):/.test(subject)) return undefined;
  if (roles === undefined || (service !== undefined && !isExternalId(service))) return undefined;
  const scopes = roles.flatMap((role) => [...(rules.roles.get(role) ?? [])]);
  return {
    clientId: `staff-${hash('sha256', `${rules.issuer}\0${subject}`, 'base64url').slice(0, 22)}`,
    scopes: new Set(service === undefined ? scopes.filter((scope) => !scopesOfService.has(scope)) : scopes),
    staff: { subject, name: isExternalId(name) ? name : subject, service: service ?? null },
  };
}

/** The roles in a claim, none if it is absent; undefined if the claim is malformed. */
function rolesOf(claim: unknown): readonly string[] | undefined {
  const roles: readonly unknown[] = claim === undefined ? [] : [claim].flat();
  return roles.every((role) => typeof role === 'string') ? roles : undefined;
}
