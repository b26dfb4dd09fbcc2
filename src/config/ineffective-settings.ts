import { type SettingName, settingTable } from './setting-table.ts';
import type { Settings } from './settings.ts';

/** A setting that nothing reads, and what it would have to stand beside. */
export type IneffectiveSetting = { readonly setting: SettingName; readonly needs: string };

/**
 * What was set and has no effect, since something else is not: who wrote it believes otherwise. What cannot stand alone, as one
 * half of a pair, stops the start elsewhere. One that was set to its default is as one that was not.
 */
export function findIneffectiveSettings(settings: Settings): readonly IneffectiveSetting[] {
  const { documentStore, smtpUrl, smsUrl, letterSpool, clamav } = settings;
  const { tlsClientCertificates, clientCertificateHeader, signInIssuer, evidenceTsaUrl } = settings;
  const groups: readonly (readonly [needs: string, isThere: boolean, names: readonly SettingName[]])[] = [
    ['DOCUMENT_STORE=s3://…', documentStore.startsWith('s3://'), ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']],
    ['SIGN_IN_ISSUER', signInIssuer !== undefined, ['SIGN_IN_SCOPE', 'CITIZEN_PAGES_NAME', 'REGISTER_CORRECTIONS_URL']],
    ['CLIENT_CERTIFICATE_HEADER', clientCertificateHeader !== undefined, ['TRUSTED_PROXIES']],
    [
      'TLS_CLIENT_CERTIFICATES or CLIENT_CERTIFICATE_HEADER',
      tlsClientCertificates || clientCertificateHeader !== undefined,
      ['TLS_CLIENT_CA'],
    ],
    ['SMTP_URL', smtpUrl !== undefined, ['DKIM_DOMAIN', 'BOUNCE_ADDRESS', 'MAIL_EVENTS']],
    ['SMS_URL', smsUrl !== undefined, ['SMS_GATEWAY', 'SMS_RECEIPT_TOKEN']],
    ['LETTER_SPOOL', letterSpool !== undefined, ['LETTER_WINDOW', 'LETTER_FONTS', 'LETTER_RETURN_ADDRESS']],
    ['EVIDENCE_TSA_URL', evidenceTsaUrl !== undefined, ['EVIDENCE_TSA_CERTIFICATES']],
    ['the address of clamd in CLAMAV', clamav !== undefined && clamav !== 'off', ['RESCAN_AFTER_DAYS']],
  ];
  const absent = groups.filter(([, isThere]) => !isThere);
  return absent.flatMap(([needs, , names]) =>
    names.filter((name) => isSet(settings, name)).map((setting) => ({ setting, needs })),
  );
}

function isSet(settings: Settings, name: SettingName): boolean {
  const member = name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const value = new Map<string, unknown>(Object.entries(settings)).get(member);
  const plain = Array.isArray(value) ? value.join() : value;
  return plain !== undefined && plain !== '' && String(plain) !== settingTable[name].fallback;
}
