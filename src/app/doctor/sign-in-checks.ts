import type { CitizenSignIn } from '../../auth/citizen-sign-in.ts';
import { findClient } from '../../auth/client-store.ts';
import { type DoctorFinding, faultFinding, okFinding } from '../../cli/doctor.ts';
import { publicUrlFor } from '../../config/public-url.ts';
import { citizenPageScopes, createConfiguredSignIn, signInConfigOf } from '../../web/sign-in-config.ts';
import {
  checkTimeoutMs,
  type DoctorContext,
  errorMessage,
  openMigratedDatabase,
  withTimeout,
} from './doctor-context.ts';

/** Checks the client of the pages of citizens, and starts a sign-in at the issuer, up to its login page. */
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
    return okFinding(`${name} accepts sign-ins`);
  } catch (fault) {
    return faultFinding(errorMessage(fault), 'check SIGN_IN_ISSUER and the registration of SIGN_IN_CLIENT_ID there');
  }
}

type SignInConfig = NonNullable<ReturnType<typeof signInConfigOf>>;

async function checkClient(context: DoctorContext, { clientId, issuer }: SignInConfig): Promise<DoctorFinding> {
  const db = await openMigratedDatabase(context);
  if (db === undefined) return okFinding(`${clientId} is not checked: there is no database yet`);
  const client = await findClient(db.read, clientId);
  const create = `citizen-services clients create "Pages of citizens" --kind live --scopes citizen:self,documents:read --issuer ${issuer}`;
  const createFix = `run \`${create}\` and set SIGN_IN_CLIENT_ID to the id that it prints`;
  if (client === undefined || client.disabledAt !== undefined)
    return faultFinding(`no active client ${clientId}`, createFix);
  const { credential, scopes } = client;
  if (credential.by !== 'issuer' || credential.issuer !== issuer)
    return faultFinding(`${clientId} is not a client of ${issuer}`, createFix);
  const missing = citizenPageScopes.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return okFinding(`${clientId} has the scopes that the pages need`);
  const wanted = [...new Set([...scopes, ...missing])].join(',');
  return faultFinding(
    `${clientId} lacks ${missing.join(' and ')}`,
    `run \`citizen-services clients update ${clientId} --scopes ${wanted}\``,
  );
}
