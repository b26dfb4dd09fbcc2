import { isDeepStrictEqual } from 'node:util';
import type { Setting } from './setting.ts';
import { type SettingKey, type SettingName, settingSchemas } from './setting-schemas.ts';
import type { Settings } from './settings.ts';

/** A setting without effect, and what it requires. */
type IneffectiveSetting = { readonly setting: SettingName; readonly needs: string };

type Requirement = { readonly needs: string; readonly isMet: boolean; readonly keys: readonly SettingKey[] };

/** Lists the settings, other than defaults, that have no effect because another setting is missing. */
export function findIneffectiveSettings(settings: Settings): readonly IneffectiveSetting[] {
  return requirements(settings)
    .filter(({ isMet }) => !isMet)
    .flatMap(({ needs, keys }) =>
      keys
        .filter((key) => !hasDefaultValue(settings, key))
        .map((key) => ({ setting: settingSchemas[key].name, needs })),
    );
}

function requirements(settings: Settings): readonly Requirement[] {
  const { documentStore, tlsClientCertificates, clientCertificateHeader } = settings;
  return [
    {
      needs: 'DOCUMENT_STORE=s3://…',
      isMet: documentStore.startsWith('s3://'),
      keys: ['s3AccessKeyId', 's3SecretAccessKey'],
    },
    {
      needs: 'SIGN_IN_ISSUER',
      isMet: settings.signInIssuer !== undefined,
      keys: ['signInScope', 'citizenPagesName', 'registerCorrectionsUrl'],
    },
    {
      needs: 'STAFF_ISSUER',
      isMet: settings.staffIssuer !== undefined,
      keys: [
        'staffScope',
        'staffRolesClaim',
        'staffClientClaim',
        'staffRoles',
        'staffLookUpsPerHour',
        'staffProposalHours',
        'staffBatchLimit',
      ],
    },
    { needs: 'CLIENT_CERTIFICATE_HEADER', isMet: clientCertificateHeader !== undefined, keys: ['trustedProxies'] },
    {
      needs: 'TLS_CLIENT_CERTIFICATES or CLIENT_CERTIFICATE_HEADER',
      isMet: tlsClientCertificates || clientCertificateHeader !== undefined,
      keys: ['tlsClientCa'],
    },
    { needs: 'SMTP_URL', isMet: settings.smtpUrl !== undefined, keys: ['dkimDomain', 'bounceAddress', 'mailEvents'] },
    { needs: 'SMS_URL', isMet: settings.smsUrl !== undefined, keys: ['smsGateway', 'smsReceiptToken'] },
    {
      needs: 'LETTER_SPOOL',
      isMet: settings.letterSpool !== undefined,
      keys: ['letterWindow', 'letterFonts', 'letterLogos', 'letterReturnAddress'],
    },
    {
      needs: 'WALLET_TRUST',
      isMet: settings.walletTrust !== undefined,
      keys: ['walletCertificateFile', 'walletCertificateKeyFile'],
    },
    { needs: 'EVIDENCE_TSA_URL', isMet: settings.evidenceTsaUrl !== undefined, keys: ['evidenceTsaCertificates'] },
  ];
}

function hasDefaultValue(settings: Settings, key: SettingKey): boolean {
  const schema: Setting = settingSchemas[key];
  const defaultValue = schema.default === undefined ? undefined : schema.type.parse(schema.default);
  return isDeepStrictEqual(settings[key], defaultValue);
}
