import type { Setting } from '../setting.ts';
import { issuersType, issuerType, pathType, secretType, textType, urlType } from '../setting-types.ts';

/** The settings of external issuers, of the sign-in and of the pages for citizens. */
export const signInSettings = {
  trustedIssuers: {
    name: 'TRUSTED_ISSUERS',
    type: issuersType,
    default: '',
    essential: true,
    description:
      'Other issuers whose access tokens this server accepts: https URLs, separated by spaces or commas. By default, it accepts only its own tokens.',
  },
  signInIssuer: {
    name: 'SIGN_IN_ISSUER',
    type: issuerType,
    essential: true,
    description:
      'Issuer at which citizens sign in (OpenID Connect), one of TRUSTED_ISSUERS. It enables the pages for citizens under `/me` (docs/operate/sign-in.md). Without it, these pages do not exist.',
  },
  signInClientId: {
    name: 'SIGN_IN_CLIENT_ID',
    type: textType,
    description:
      'Client ID of this server at SIGN_IN_ISSUER. Create the same client here with `clients create --issuer` and the scopes citizen:self and documents:read.',
  },
  signInClientSecret: {
    name: 'SIGN_IN_CLIENT_SECRET',
    type: secretType(textType),
    description:
      'Client secret of this server at SIGN_IN_ISSUER. Prefer SIGN_IN_CLIENT_KEY, which is safer. Set only one of them.',
  },
  signInClientKey: {
    name: 'SIGN_IN_CLIENT_KEY',
    type: pathType,
    description:
      'File with the private key of this server at SIGN_IN_ISSUER, as a JWK (private_key_jwt). Set it instead of SIGN_IN_CLIENT_SECRET.',
  },
  signInScope: {
    name: 'SIGN_IN_SCOPE',
    type: textType,
    default: 'openid citizen:self documents:read',
    description:
      'Scopes that the server requests at a sign-in, separated by spaces: openid, and the names that the issuer uses for citizen:self and documents:read.',
  },
  citizenPagesName: {
    name: 'CITIZEN_PAGES_NAME',
    type: textType,
    description:
      'Name at the top of the pages for citizens, such as `City of Porto`. Default: “Public services”, in the language of the page.',
  },
  registerCorrectionsUrl: {
    name: 'REGISTER_CORRECTIONS_URL',
    type: urlType('https', 'http'),
    description:
      'Page that explains how to correct the register. The pages for citizens link to it. Without it, they have no such link.',
  },
} as const satisfies Record<string, Setting>;
