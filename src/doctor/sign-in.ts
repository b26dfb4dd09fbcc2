import type { CitizenSignIn } from '../access/citizen-sign-in.ts';
import { findClient } from '../access/client-store.ts';
import { type Finding, faulty, ok } from '../cli/doctor.ts';
import { openSignIn, scopesOfPages, signInOf } from '../compose/sign-in.ts';
import { publicUrlOn } from '../config/public-url.ts';
import { patienceMs } from './reach.ts';
import { type DoctorRoom, messageOf, readyDatabase, within } from './room.ts';

/** Whether citizens could sign in: the client here, and the issuer up to where it would ask somebody who they are. */
export async function signIn(room: DoctorRoom): Promise<readonly Finding[]> {
  const { settings, clock } = room;
  const asked = signInOf(settings);
  if (asked === undefined) return [];
  const publicUrl = publicUrlOn(settings, settings.port);
  const issuer = openSignIn(asked, { publicUrl, settings, clock });
  return [await client(room, asked), await answers(issuer, asked.issuer)];
}

async function answers(issuer: CitizenSignIn, name: string): Promise<Finding> {
  try {
    await within(patienceMs, issuer.begin());
    return ok(`${name} takes a sign-in`);
  } catch (fault) {
    return faulty(messageOf(fault), 'see SIGN_IN_ISSUER, and what is registered there for SIGN_IN_CLIENT_ID');
  }
}

type Asked = NonNullable<ReturnType<typeof signInOf>>;

async function client(room: DoctorRoom, { clientId, issuer }: Asked): Promise<Finding> {
  const db = await readyDatabase(room);
  if (db === undefined) return ok(`${clientId} is looked for when there is a database`);
  const found = await findClient(db.read, clientId);
  const make = `citizen-services clients create "Pages of citizens" --kind live --scopes citizen:self,documents:read --issuer ${issuer}`;
  if (found === undefined || found.disabledAt !== undefined)
    return faulty(`there is no client ${clientId}`, `${make}, and SIGN_IN_CLIENT_ID to what it prints`);
  const { credential, scopes } = found;
  if (credential.by !== 'issuer' || credential.issuer !== issuer)
    return faulty(`${clientId} is no client of ${issuer}`, `${make}, and SIGN_IN_CLIENT_ID to what it prints`);
  const missing = scopesOfPages.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return ok(`${clientId} may what the pages need`);
  const scopesOf = [...new Set([...scopes, ...missing])].join(',');
  return faulty(
    `${clientId} lacks ${missing.join(' and ')}`,
    `citizen-services clients update ${clientId} --scopes ${scopesOf}`,
  );
}
