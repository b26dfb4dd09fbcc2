import type { CitizenSignIn } from '../../auth/citizen-sign-in.ts';
import { findClient } from '../../auth/client-store.ts';
import { type DoctorFinding, faultFinding, okFinding } from '../../cli/doctor.ts';
import { publicUrlFor } from '../../config/public-url.ts';
import { citizenPageScopes, createConfiguredSignIn, signInConfigOf } from '../../web/sign-in-config.ts';
import { checkTimeoutMs } from './check-reachable.ts';
import { type DoctorContext, errorMessage, openMigratedDatabase, withTimeout } from './doctor-context.ts';

/** Whether citizens could sign in: the client here, and the issuer up to where it would ask somebody who they are. */
export async function checkSignIn(context: DoctorContext): Promise<readonly DoctorFinding[]> {
  const { settings, clock } = context;
  const config = signInConfigOf(settings);
  if (config === undefined) return [];
  const publicUrl = publicUrlFor(settings, settings.port);
  const issuer = createConfiguredSignIn(config, { publicUrl, settings, clock });
  return [await checkClient(context, config), await checkIssuer(issuer, config.issuer)];
}

async function checkIssuer(issuer: CitizenSignIn, name: string): Promise<DoctorFinding> {
  try {
    await withTimeout(checkTimeoutMs, issuer.begin());
    return okFinding(`${name} takes a sign-in`);
  } catch (fault) {
    return faultFinding(errorMessage(fault), 'see SIGN_IN_ISSUER, and what is registered there for SIGN_IN_CLIENT_ID');
  }
}

type Config = NonNullable<ReturnType<typeof signInConfigOf>>;

async function checkClient(context: DoctorContext, { clientId, issuer }: Config): Promise<DoctorFinding> {
  const db = await openMigratedDatabase(context);
  if (db === undefined) return okFinding(`${clientId} is looked for when there is a database`);
  const found = await findClient(db.read, clientId);
  const make = `citizen-services clients create "Pages of citizens" --kind live --scopes citizen:self,documents:read --issuer ${issuer}`;
  if (found === undefined || found.disabledAt !== undefined)
    return faultFinding(`there is no client ${clientId}`, `${make}, and SIGN_IN_CLIENT_ID to what it prints`);
  const { credential, scopes } = found;
  if (credential.by !== 'issuer' || credential.issuer !== issuer)
    return faultFinding(`${clientId} is no client of ${issuer}`, `${make}, and SIGN_IN_CLIENT_ID to what it prints`);
  const missing = citizenPageScopes.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return okFinding(`${clientId} may what the pages need`);
  const scopesOf = [...new Set([...scopes, ...missing])].join(',');
  return faultFinding(
    `${clientId} lacks ${missing.join(' and ')}`,
    `citizen-services clients update ${clientId} --scopes ${scopesOf}`,
  );
}
