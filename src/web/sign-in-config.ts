import { readFileSync } from 'node:fs';
import type { Scope } from '../api/operation.ts';
import { type CitizenSignIn, createCitizenSignIn, type SignInCredential } from '../auth/citizen-sign-in.ts';
import { SettingError, type Settings } from '../config/settings.ts';
import type { Clock } from '../kernel/clock.ts';
import { isObject } from '../kernel/is-object.ts';
import { systemClock } from '../kernel/system-clock.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** The scopes that the client of the pages needs, and each of its tokens. */
export const citizenPageScopes = ['citizen:self', 'documents:read'] as const satisfies readonly Scope[];

/** The configured sign-in, for the server at `publicUrl`. */
export function createConfiguredSignIn(
  { issuer, clientId, credential }: SignInConfig,
  options: { readonly publicUrl: string; readonly settings: Settings; readonly clock: Clock },
): CitizenSignIn {
  const { publicUrl, settings, clock } = options;
  return createCitizenSignIn({
    issuer,
    clientId,
    credential,
    clock,
    machineClock: systemClock,
    httpFetch: fetch,
    scope: settings.signInScope,
    returnUrl: `${publicUrl}${citizenPaths.returned}`,
    homeUrl: `${publicUrl}${citizenPaths.home}`,
    resource: `${publicUrl}/v1`,
  });
}

/** The issuer at which citizens sign in, and this server's client there. */
export type SignInConfig = {
  readonly issuer: string;
  readonly clientId: string;
  readonly credential: () => SignInCredential;
};

/** The sign-in of the settings; undefined without one. Settings that contradict each other end the start. */
export function signInConfigOf(settings: Settings): SignInConfig | undefined {
  const { signInIssuer: issuer, signInClientId: clientId, signInClientSecret: secret, signInClientKey: key } = settings;
  if (issuer === undefined) {
    const [alone] = [
      clientId && 'SIGN_IN_CLIENT_ID',
      secret && 'SIGN_IN_CLIENT_SECRET',
      key && 'SIGN_IN_CLIENT_KEY',
    ].filter(Boolean);
    if (alone === undefined) return undefined;
    throw new SettingError(alone, 'requires SIGN_IN_ISSUER; set both or neither');
  }
  if (!settings.trustedIssuers.includes(issuer))
    throw new SettingError('SIGN_IN_ISSUER', 'expected exactly one of the URLs in TRUSTED_ISSUERS');
  if (clientId === undefined) throw new SettingError('SIGN_IN_CLIENT_ID', 'SIGN_IN_ISSUER requires it');
  if ((secret === undefined) === (key === undefined))
    throw new SettingError(
      'SIGN_IN_CLIENT_KEY',
      'SIGN_IN_ISSUER requires this setting or SIGN_IN_CLIENT_SECRET, but not both',
    );
  if (secret !== undefined) return { issuer, clientId, credential: () => ({ secret: secret.reveal() }) };
  const jwk = readSignInKey(key ?? '');
  return { issuer, clientId, credential: () => ({ key: jwk }) };
}

function readSignInKey(path: string): Extract<SignInCredential, { key: unknown }>['key'] {
  const expected = `expected a private key as a JWK in ${path}`;
  let jwk: unknown;
  try {
    jwk = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new SettingError(
      'SIGN_IN_CLIENT_KEY',
      `${expected} (${cause instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read'})`,
    );
  }
  if (!isObject(jwk) || typeof jwk['kty'] !== 'string' || typeof jwk['d'] !== 'string')
    throw new SettingError('SIGN_IN_CLIENT_KEY', expected);
  return { ...jwk, kty: jwk['kty'] };
}
