import assert from 'node:assert/strict';
import test from 'node:test';
import { findIneffectiveSettings } from './ineffective-settings.ts';
import { settingTable } from './setting-table.ts';
import { readSettings } from './settings.ts';

const idle = (environment: Record<string, string>) =>
  findIneffectiveSettings(readSettings(environment)).map(({ setting, needs }) => `${setting}: ${needs}`);

/** What of its kind nothing reads alone, and what it waits for. */
const waiting: readonly (readonly [set: Record<string, string>, needs: Record<string, string>, told: string])[] = [
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
  [{ RESCAN_AFTER_DAYS: '3' }, { CLAMAV: 'tcp://127.0.0.1:3310' }, 'the address of clamd in CLAMAV'],
];

test('a setting that nothing reads is told with what it needs, and not beside that', () => {
  for (const [set, needs, told] of waiting) {
    const [[name = ''] = []] = Object.entries(set);
    assert.deepEqual(idle(set), [`${name}: ${told}`]);
    assert.deepEqual(idle({ ...set, ...needs }), [], name);
  }
});

test('no setting, and each at its default, is told of as unread', () => {
  const defaults = Object.entries(settingTable).map(([name, { fallback }]) => [name, fallback ?? '']);
  assert.deepEqual([idle({}), idle(Object.fromEntries(defaults))], [[], []]);
});
