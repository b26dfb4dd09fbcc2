import type { Setting } from '../setting.ts';
import { countryType, countType, flagType, secretType, textType, urlType, wholeNumberType } from '../setting-types.ts';

/** The settings of the register and of identity verification. */
export const identitySettings = {
  registerName: {
    name: 'REGISTER_NAME',
    type: textType,
    default: 'Population register',
    essential: true,
    description: 'Name of the register in signed results and in messages to citizens.',
  },
  registerCountry: {
    name: 'REGISTER_COUNTRY',
    type: countryType,
    description:
      'Country of the register in signed results, as two letters of ISO 3166-1, such as PT. Without it, results contain no country.',
  },
  registerUrl: {
    name: 'REGISTER_URL',
    type: secretType(urlType('https', 'http')),
    description:
      'URL of an external register that the server queries over HTTP (docs/operate/external-register.md). Without it, the server uses the citizens in its own database.',
  },
  verifyPolicy: {
    name: 'VERIFY_POLICY',
    type: textType,
    default: 'standard-2026-3',
    description:
      'Verification policy of clients that have no policy of their own. It is a built-in policy, or one that you stored with `policies add`.',
  },
  verifyIntervalMs: {
    name: 'VERIFY_QUANTUM_MS',
    type: wholeNumberType(0, 9_999),
    default: '5',
    description:
      'Response-time padding of verify, in milliseconds, 0 to 9999. Responses are sent at multiples of this time, so that their timing reveals nothing about the register. 0 disables the padding.',
  },
  verificationsKeptDays: {
    name: 'VERIFICATIONS_KEPT_DAYS',
    type: countType,
    default: '365',
    description:
      'Number of days to keep encrypted verification results, 1 to 999999. The server then deletes them. Regulation (EU) 2025/846 requires 6 to 12 months.',
  },
  refuseClaimsInUrl: {
    name: 'REFUSE_CLAIMS_IN_URL',
    type: flagType,
    default: 'false',
    description:
      'Set to true to reject `GET /v1/identity/verify` with claims in the URL, because logs contain URLs. By default, the server accepts such requests.',
  },
} as const satisfies Record<string, Setting>;
