import { readFileSync } from 'node:fs';
import type { Scope } from '../api/operation.ts';
import { createIssuerSignIn, type IssuerSignIn, type SignInCredential } from '../auth/issuer-sign-in.ts';
import { SettingError, type Settings } from '../config/settings.ts';
import type { Clock } from '../kernel/clock.ts';
import { isObject } from '../kernel/is-object.ts';
import { systemClock } from '../kernel/system-clock.ts';

/** The scopes that the client of the pages needs, and each of its tokens. */
export const citizenPageScopes = ['citizen:self', 'documents:read'] as const satisfies readonly Scope[];

/** The paths to which the issuer redirects, below the public URL. */
export type SignInPaths = { readonly home: string; readonly returned: string };

/** The configured sign-in, for the server at `publicUrl`. */
export function createConfiguredSignIn(
  { people, issuer, clientId, credential, scope }: SignInConfig,
  options: { readonly publicUrl: string; readonly clock: Clock; readonly paths: SignInPaths },
): IssuerSignIn {
  const { publicUrl, clock, paths } = options;
  return createIssuerSignIn({
    people,
    issuer,
    clientId,
    credential,
    scope,
    clock,
    machineClock: systemClock,
    httpFetch: fetch,
    returnUrl: `${publicUrl}${paths.returned}`,
    homeUrl: `${publicUrl}${paths.home}`,
    resource: `${publicUrl}/v1`,
  });
}

/** The issuer at which people sign in, and this server's client there. */
export type SignInConfig = {
  readonly people: 'citizens' | 'staff';
  readonly issuer: string;
  readonly clientId: string;
  readonly credential: () => SignInCredential;
  /** The scopes that the sign-in requests. */
  readonly scope: string;
};

/** The sign-in of citizens; undefined without one. Settings that contradict each other end the start. */
export function signInConfigOf(settings: Settings): SignInConfig | undefined {
  const { signInIssuer: issuer, signInClientId: clientId, signInClientSecret: secret, signInClientKey: key } = settings;
  const registration = readRegistration('SIGN_IN', { issuer, clientId, secret, key });
  if (registration === undefined) return undefined;
  if (!settings.trustedIssuers.includes(registration.issuer))
    throw new SettingError('SIGN_IN_ISSUER', 'expected exactly one of the URLs in TRUSTED_ISSUERS');
  return { people: 'citizens', ...registration, scope: settings.signInScope };
}

/** The sign-in of staff; undefined without one. `staffTokenRulesOf` checks that the issuer is of staff alone. */
export function staffSignInConfigOf(settings: Settings): SignInConfig | undefined {
  const { staffIssuer: issuer, staffClientId: clientId, staffClientSecret: secret, staffClientKey: key } = settings;
  const registration = readRegistration('STAFF', { issuer, clientId, secret, key });
  return registration && { people: 'staff', ...registration, scope: settings.staffScope };
}

type RegistrationSettings = {
  readonly issuer: string | undefined;
  readonly clientId: string | undefined;
  readonly secret: Settings['signInClientSecret'];
  readonly key: string | undefined;
};

/** The registration at an issuer, from the settings with this prefix. */
function readRegistration(prefix: 'SIGN_IN' | 'STAFF', { issuer, clientId, secret, key }: RegistrationSettings) {
  if (issuer === undefined) {
    const [alone] = [
      clientId && `${prefix}_CLIENT_ID`,
      secret && `${prefix}_CLIENT_SECRET`,
      key && `${prefix}_CLIENT_KEY`,
    ].filter(Boolean);
    if (alone === undefined) return undefined;
    throw new SettingError(alone, `requires ${prefix}_ISSUER; set both or neither`);
  }
  if (clientId === undefined) throw new SettingError(`${prefix}_CLIENT_ID`, `${prefix}_ISSUER requires it`);
  if ((secret === undefined) === (key === undefined))
    throw new SettingError(
      `${prefix}_CLIENT_KEY`,
      `${prefix}_ISSUER requires this setting or ${prefix}_CLIENT_SECRET, but not both`,
    );
  if (secret !== undefined) return { issuer, clientId, credential: () => ({ secret: secret.reveal() }) };
  const jwk = readSignInKey(`${prefix}_CLIENT_KEY`, key ?? '');
  return { issuer, clientId, credential: () => ({ key: jwk }) };
}

function readSignInKey(setting: string, path: string): Extract<SignInCredential, { key: unknown }>['key'] {
  const expected = `expected a private key as a JWK in ${path}`;
  let jwk: unknown;
  try {
    jwk = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new SettingError(
      setting,
      `${expected} (${cause instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read'})`,
    );
  }
  if (!isObject(jwk) || typeof jwk['kty'] !== 'string' || typeof jwk['d'] !== 'string')
    throw new SettingError(setting, expected);
  return { ...jwk, kty: jwk['kty'] };
}
