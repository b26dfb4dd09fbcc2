import { resolve } from 'node:path';
import { Secret } from '../kernel/secret.ts';
import type { Setting } from './setting.ts';
import { parseList } from './validate-setting.ts';

/** The settings of other issuers, and of the pages whose citizens sign in at one; a part of the table in `setting-table.ts`. */
export const signInSettingTable = {
  TRUSTED_ISSUERS: {
    kind: 'issuers',
    fallback: '',
    help: 'Issuers besides our own whose access tokens are accepted: https URLs, with blanks or commas between.',
  },
  SIGN_IN_ISSUER: {
    kind: 'issuer',
    fallback: undefined,
    help: 'The one of TRUSTED_ISSUERS at which citizens sign in (OpenID Connect); with it they have pages of their own under /me. See docs/citizens.md.',
  },
  SIGN_IN_CLIENT_ID: {
    kind: 'text',
    fallback: undefined,
    help: 'Who this server is there: the id of a client that `clients create --issuer` made here, with the scopes citizen:self and documents:read.',
  },
  SIGN_IN_CLIENT_SECRET: {
    kind: 'text',
    secret: true,
    fallback: undefined,
    help: 'Its secret there; or, better, SIGN_IN_CLIENT_KEY.',
  },
  SIGN_IN_CLIENT_KEY: {
    kind: 'path',
    fallback: undefined,
    help: 'File with its private key as a JWK (private_key_jwt), in place of a secret.',
  },
  SIGN_IN_SCOPE: {
    kind: 'text',
    fallback: 'openid citizen:self documents:read',
    help: 'What is asked for at a sign-in: openid, and what the issuer calls these two scopes.',
  },
  CITIZEN_PAGES_NAME: {
    kind: 'text',
    fallback: undefined,
    help: 'The name above the pages of citizens, as `City of Porto`; without it “Public services”, in their language.',
  },
  REGISTER_CORRECTIONS_URL: {
    kind: 'url',
    schemes: ['https', 'http'],
    fallback: undefined,
    help: 'Where citizens learn how to have the register put right; their pages lead there.',
  },
} as const satisfies Record<string, Setting>;

/** What `readSettings` gives of them. */
export type SignInSettings = {
  readonly trustedIssuers: readonly string[];
  readonly signInIssuer: string | undefined;
  readonly signInClientId: string | undefined;
  readonly signInClientSecret: Secret | undefined;
  readonly signInClientKey: string | undefined;
  readonly signInScope: string;
  readonly citizenPagesName: string | undefined;
  readonly registerCorrectionsUrl: string | undefined;
};

type Name = keyof typeof signInSettingTable;

/** Reads this part; `given` is the checked text of a setting, or its default. */
export function readSignInSettings(given: (name: Name) => string | undefined): SignInSettings {
  const [secret, key] = [given('SIGN_IN_CLIENT_SECRET'), given('SIGN_IN_CLIENT_KEY')];
  return {
    trustedIssuers: parseList(given('TRUSTED_ISSUERS') ?? ''),
    signInIssuer: given('SIGN_IN_ISSUER'),
    signInClientId: given('SIGN_IN_CLIENT_ID'),
    signInClientSecret: secret === undefined ? undefined : new Secret(secret),
    signInClientKey: key === undefined ? undefined : resolve(key),
    signInScope: given('SIGN_IN_SCOPE') ?? signInSettingTable.SIGN_IN_SCOPE.fallback,
    citizenPagesName: given('CITIZEN_PAGES_NAME'),
    registerCorrectionsUrl: given('REGISTER_CORRECTIONS_URL'),
  };
}
