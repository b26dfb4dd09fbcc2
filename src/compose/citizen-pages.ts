import { readFileSync } from 'node:fs';
import { createCitizenSessions } from '../access/citizen-sessions.ts';
import { createCitizenSignIn, type SignInCredential } from '../access/citizen-sign-in.ts';
import type { Gate, House as ServedHouse } from '../api/dispatch.ts';
import type { Mount } from '../api/server.ts';
import type { House } from '../compose.ts';
import { SettingError, type Settings } from '../config/settings.ts';
import { isObject } from '../kernel/is-object.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { Unavailable } from '../kernel/unavailable.ts';
import type { Ports } from '../operations.ts';
import { citizenOperations } from '../portal/ask-operations.ts';
import { cookiesOf } from '../portal/browser-cookies.ts';
import { citizenPages } from '../portal/citizen-pages.ts';
import { type Admission, citizenPaths, createSignInDoor } from '../portal/citizen-session.ts';

/** What the pages stand on: the house as the operations have it, and where it is. */
type Site = { readonly publicUrl: string; readonly served: ServedHouse<Ports> };

/** The pages of citizens, where the operator has named an issuer at which they sign in. */
export function citizenMounts(house: House, { publicUrl, served }: Site): readonly Mount[] {
  const { clock, db, log, random, root, settings } = house;
  const asked = signInOf(settings);
  if (asked === undefined) return [];
  const { issuer, clientId, credential } = asked;
  const signIn = createCitizenSignIn({
    ...{ issuer, clientId, credential, clock, fetching: fetch },
    returnUrl: `${publicUrl}${citizenPaths.returned}`,
    homeUrl: `${publicUrl}${citizenPaths.home}`,
    resource: `${publicUrl}/v1`,
    scope: settings.signInScope,
  });
  const sessions = createCitizenSessions({ db, clock, random, key: root.derive('citizen-sessions') });
  const onFault = (fault: unknown) => log.fault('citizen-pages', fault);
  return citizenPages({
    door: createSignInDoor({
      signIn,
      sessions,
      cookies: cookiesOf(publicUrl),
      admit: admission(served.gate, clientId),
    }),
    ask: citizenOperations(served),
    nameOf: (id) => served.ports.organisationOf(id),
    site: settings.citizenPagesName,
    // Who leaves has left this house; that the issuer cannot say how is no fault of theirs.
    leaveUrl: () =>
      signIn.leaveUrl().catch((fault: unknown) => {
        onFault(fault);
        return undefined;
      }),
    onFault,
  });
}

/** Whom a token of the issuer lets in: it has to be for this very client, and for all that the pages ask. */
function admission(gate: Gate, clientId: string) {
  return async (accessToken: string): Promise<Admission> => {
    const shown = { method: 'GET', path: citizenPaths.home, headers: {} };
    const caller = await gate.authenticate(`Bearer ${accessToken}`, 'citizen:self', shown);
    if ('slug' in caller) {
      if (problems[caller.slug].retryable) throw new Unavailable(caller.slug, caller.detail);
      return undefined;
    }
    if (caller.clientId !== clientId) return undefined;
    if (caller.citizenId === undefined) return 'nobody';
    const has = caller.scopes.has('citizen:self') && caller.scopes.has('documents:read');
    return has ? { citizenId: caller.citizenId } : undefined;
  };
}

type SignInOrder = { readonly issuer: string; readonly clientId: string; readonly credential: () => SignInCredential };

/** What the settings say of the sign-in; undefined where there is none. What does not fit together stops the start. */
export function signInOf(settings: Settings): SignInOrder | undefined {
  const { signInIssuer: issuer, signInClientId: clientId, signInClientSecret: secret, signInClientKey: key } = settings;
  if (issuer === undefined) {
    const [alone] = [
      clientId && 'SIGN_IN_CLIENT_ID',
      secret && 'SIGN_IN_CLIENT_SECRET',
      key && 'SIGN_IN_CLIENT_KEY',
    ].filter(Boolean);
    if (alone === undefined) return undefined;
    throw new SettingError(alone, 'it needs SIGN_IN_ISSUER');
  }
  if (!settings.trustedIssuers.includes(issuer))
    throw new SettingError('SIGN_IN_ISSUER', 'expected one of TRUSTED_ISSUERS, letter by letter');
  if (clientId === undefined) throw new SettingError('SIGN_IN_CLIENT_ID', 'SIGN_IN_ISSUER is set and needs it');
  if ((secret === undefined) === (key === undefined))
    throw new SettingError('SIGN_IN_CLIENT_KEY', 'SIGN_IN_ISSUER needs it, or SIGN_IN_CLIENT_SECRET, and not both');
  if (secret !== undefined) return { issuer, clientId, credential: () => ({ secret: secret.reveal() }) };
  const jwk = keyIn(key ?? '');
  return { issuer, clientId, credential: () => ({ key: jwk }) };
}

function keyIn(path: string): Extract<SignInCredential, { key: unknown }>['key'] {
  const expected = `expected a private key as a JWK in ${path}`;
  let jwk: unknown;
  try {
    jwk = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new SettingError(
      'SIGN_IN_CLIENT_KEY',
      `${expected} (${cause instanceof SyntaxError ? 'it is no JSON' : 'it cannot be read'})`,
    );
  }
  if (!isObject(jwk) || typeof jwk['kty'] !== 'string' || typeof jwk['d'] !== 'string')
    throw new SettingError('SIGN_IN_CLIENT_KEY', expected);
  return { ...jwk, kty: jwk['kty'] };
}
