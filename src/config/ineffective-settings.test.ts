import assert from 'node:assert/strict';
import test from 'node:test';
import { findIneffectiveSettings } from './ineffective-settings.ts';
import type { Setting } from './setting.ts';
import { settingSchemas } from './setting-schemas.ts';
import { readSettings } from './settings.ts';

const ineffective = (environment: Record<string, string>) =>
  findIneffectiveSettings(readSettings(environment)).map(({ setting, needs }) => `${setting}: ${needs}`);

/** Settings without effect, the setting that gives them effect, and how the finding names it. */
const dependencies: readonly (readonly [
  set: Record<string, string>,
  required: Record<string, string>,
  needs: string,
])[] = [
  [{ S3_ACCESS_KEY_ID: 'me' }, { DOCUMENT_STORE: 's3://b/p?region=r' }, 'DOCUMENT_STORE=s3://…'],
  [{ S3_SECRET_ACCESS_KEY: 'me' }, { DOCUMENT_STORE: 's3://b/p?region=r' }, 'DOCUMENT_STORE=s3://…'],
  [{ SIGN_IN_SCOPE: 'openid me' }, { SIGN_IN_ISSUER: 'https://id.example' }, 'SIGN_IN_ISSUER'],
  [{ CITIZEN_PAGES_NAME: 'Porto' }, { SIGN_IN_ISSUER: 'https://id.example' }, 'SIGN_IN_ISSUER'],
  [{ REGISTER_CORRECTIONS_URL: 'https://r.example' }, { SIGN_IN_ISSUER: 'https://id.example' }, 'SIGN_IN_ISSUER'],
  [{ TRUSTED_PROXIES: '10.0.0.5' }, { CLIENT_CERTIFICATE_HEADER: 'Client-Cert' }, 'CLIENT_CERTIFICATE_HEADER'],
  [
    { TLS_CLIENT_CA: '/ca.pem' },
    { TLS_CLIENT_CERTIFICATES: 'true' },
    'TLS_CLIENT_CERTIFICATES or CLIENT_CERTIFICATE_HEADER',
  ],
  [{ DKIM_DOMAIN: 'b.example' }, { SMTP_URL: 'smtp://relay.example' }, 'SMTP_URL'],
  [{ BOUNCE_ADDRESS: 'a@b.example' }, { SMTP_URL: 'smtp://relay.example' }, 'SMTP_URL'],
  [{ MAIL_EVENTS: '/events.json' }, { SMTP_URL: 'smtp://relay.example' }, 'SMTP_URL'],
  [{ SMS_GATEWAY: '/sms.json' }, { SMS_URL: 'https://sms.example' }, 'SMS_URL'],
  [{ SMS_RECEIPT_TOKEN: 'a secret of sixteen' }, { SMS_URL: 'https://sms.example' }, 'SMS_URL'],
  [{ LETTER_WINDOW: 'uk-c5' }, { LETTER_SPOOL: '/spool' }, 'LETTER_SPOOL'],
  [{ LETTER_FONTS: '/fonts' }, { LETTER_SPOOL: '/spool' }, 'LETTER_SPOOL'],
  [{ LETTER_RETURN_ADDRESS: 'Oslo' }, { LETTER_SPOOL: '/spool' }, 'LETTER_SPOOL'],
  [{ EVIDENCE_TSA_CERTIFICATES: '/tsa.pem' }, { EVIDENCE_TSA_URL: 'https://tsa.example' }, 'EVIDENCE_TSA_URL'],
];

test('a setting without effect is reported with the setting that it requires, until that one is set', () => {
  for (const [set, required, needs] of dependencies) {
    const [[name = ''] = []] = Object.entries(set);
    assert.deepEqual(ineffective(set), [`${name}: ${needs}`]);
    assert.deepEqual(ineffective({ ...set, ...required }), [], name);
  }
});

test('absent settings and default values are not reported', () => {
  const schemas: readonly Setting[] = Object.values(settingSchemas);
  const defaults = schemas.map(({ name, default: text = '' }) => [name, text]);
  assert.deepEqual([ineffective({}), ineffective(Object.fromEntries(defaults))], [[], []]);
});
