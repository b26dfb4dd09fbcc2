import { Secret } from '../kernel/secret.ts';
import type { Setting } from './setting.ts';

/** The settings of the register and of its questions; a part of the table in `setting-table.ts`. */
export const identitySettingTable = {
  REGISTER_URL: {
    kind: 'url',
    schemes: ['https', 'http'],
    secret: true,
    fallback: undefined,
    help: 'Address of another register, asked over HTTP (docs/identity.md); without it our own tables are the register.',
  },
  REGISTER_NAME: {
    kind: 'text',
    fallback: 'Population register',
    help: 'Name of the register, as signed results state it, and as citizens read it where this server itself writes to them.',
  },
  REGISTER_COUNTRY: { kind: 'country', fallback: undefined, help: 'Its country, as two letters of ISO 3166-1.' },
  VERIFY_QUANTUM_MS: { kind: 'milliseconds', fallback: '5', help: 'verify answers at whole multiples of this time.' },
  VERIFY_POLICY: {
    kind: 'text',
    fallback: 'standard-2026-2',
    help: 'Policy of clients that have none of their own: one that ships, or one that `policies add` has stored.',
  },
  VERIFICATIONS_KEPT_DAYS: {
    kind: 'count',
    fallback: '365',
    help: 'So many days the answers of verify are kept, sealed, and can be read again; then they are deleted. EU 2025/846 asks for 6 to 12 months.',
  },
  REFUSE_CLAIMS_IN_URL: {
    kind: 'flag',
    fallback: 'false',
    help: 'true refuses GET /v1/identity/verify with claims in the URL.',
  },
} as const satisfies Record<string, Setting>;

/** What `readSettings` gives of them. */
export type IdentitySettings = {
  readonly registerUrl: Secret | undefined;
  readonly registerName: string;
  readonly registerCountry: string | undefined;
  readonly verifyQuantumMs: number;
  readonly verifyPolicy: string;
  readonly verificationsKeptDays: number;
  readonly refuseClaimsInUrl: boolean;
};

type Name = keyof typeof identitySettingTable;

/** Reads this part; `given` is the checked text of a setting, or its default. */
export function readIdentitySettings(given: (name: Name) => string | undefined): IdentitySettings {
  const url = given('REGISTER_URL');
  return {
    registerUrl: url === undefined ? undefined : new Secret(url),
    registerName: given('REGISTER_NAME') ?? identitySettingTable.REGISTER_NAME.fallback,
    registerCountry: given('REGISTER_COUNTRY'),
    verifyQuantumMs: Number(given('VERIFY_QUANTUM_MS')),
    verifyPolicy: given('VERIFY_POLICY') ?? identitySettingTable.VERIFY_POLICY.fallback,
    verificationsKeptDays: Number(given('VERIFICATIONS_KEPT_DAYS')),
    refuseClaimsInUrl: given('REFUSE_CLAIMS_IN_URL') === 'true',
  };
}
