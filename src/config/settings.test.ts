import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { publicUrlFor } from './public-url.ts';
import type { Setting } from './setting.ts';
import { settingGroups, settingSchemas } from './setting-schemas.ts';
import { inlineSettingFiles, readSettings, SettingError } from './settings.ts';

const schemas: readonly Setting[] = Object.values(settingSchemas);

const folder = mkdtempSync(join(tmpdir(), 'cs-settings-'));
after(() => rmSync(folder, { recursive: true }));
const fileWith = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

test('absent settings have their defaults', () => {
  const settings = readSettings({});
  assert.deepEqual(
    [
      settings.port,
      settings.host,
      settings.databaseUrl,
      settings.logLevel,
      settings.refuseClaimsInUrl,
      settings.trustedIssuers,
    ],
    [3000, '127.0.0.1', undefined, undefined, false, []],
  );
  assert.ok(settings.dataDir.endsWith('/data') && settings.documentStore.endsWith('/data/documents'));
});

test('the environment takes precedence over the file, the file over the default, and a blank value over nothing', () => {
  const SETTINGS_FILE = fileWith('settings', '# comment\nPORT = 4000\nLOG_LEVEL=warn\n');
  assert.equal(readSettings({ SETTINGS_FILE }).port, 4000);
  assert.equal(readSettings({ SETTINGS_FILE, PORT: '5000' }).port, 5000);
  assert.equal(readSettings({ SETTINGS_FILE, PORT: ' ' }).port, 4000);
});

test('every setting can be in the file, and a blank one has its default', () => {
  for (const { name, default: text = '' } of schemas) {
    const SETTINGS_FILE = fileWith('one', `${name} = ${text}\n`);
    assert.deepEqual(readSettings({ SETTINGS_FILE }), readSettings({}), name);
  }
  const SETTINGS_FILE = fileWith('s3', 'S3_ACCESS_KEY_ID=abc\n');
  assert.equal(readSettings({ SETTINGS_FILE }).s3AccessKeyId, 'abc');
});

test('a secret comes from its file, is rejected if it is set twice, and is never printed', () => {
  const DATABASE_URL_FILE = fileWith('url', 'postgres://u:hunter2@h/d\n');
  const settings = readSettings({ DATABASE_URL_FILE });
  assert.equal(settings.databaseUrl?.reveal(), 'postgres://u:hunter2@h/d');
  assert.ok(!inspect(settings, { depth: 9 }).includes('hunter2'));
  assert.throws(
    () => readSettings({ DATABASE_URL_FILE, DATABASE_URL: 'postgres://h/d' }),
    /expected DATABASE_URL or DATABASE_URL_FILE, received both/,
  );
});

test('settings that are inlined stay the same after their files change', () => {
  assert.deepEqual(readSettings(inlineSettingFiles({})), readSettings({}));
  const SETTINGS_FILE = fileWith('first', 'PORT=4000\nREGISTER_NAME="Register of  Persons"\nLOG_LEVEL=warn\nHOST=\n');
  const DATABASE_URL_FILE = fileWith('first-url', 'postgres://u:hunter2@h/d\n');
  const environment = { SETTINGS_FILE, DATABASE_URL_FILE, LOG_LEVEL: 'error', ROOT_KEY_FILE: 'root.key' };
  const [before, inlined] = [readSettings(environment), inlineSettingFiles(environment)];
  fileWith('first', 'PORT=5000\nno setting\n');
  fileWith('first-url', '');
  assert.throws(() => readSettings(environment), SettingError);
  const after = readSettings(inlined);
  assert.deepEqual(
    { ...after, databaseUrl: after.databaseUrl?.reveal() },
    { ...before, databaseUrl: before.databaseUrl?.reveal() },
  );
  assert.deepEqual(
    [after.port, after.logLevel, after.databaseUrl?.reveal()],
    [4000, 'error', 'postgres://u:hunter2@h/d'],
  );
});

const invalid = [
  [
    { PORT: 'http' },
    /^PORT: expected a port number from 0 to 65535, received "http"\. See docs\/reference\/settings\.md#port$/,
  ],
  [{ PORT: '70000' }, /PORT/],
  [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL: expected one of/],
  [
    { PUBLIC_URL: 'example' },
    /^PUBLIC_URL: expected https:\/\/ or http:\/\/ with a host and an optional port, such as/,
  ],
  [{ PUBLIC_URL: 'ftp://gov.example' }, /^PUBLIC_URL/],
  [{ PUBLIC_URL: 'https://gov.example/services' }, /^PUBLIC_URL/],
  [{ PUBLIC_URL: 'https://gov.example?a=b' }, /^PUBLIC_URL/],
  [{ PUBLIC_URL: 'https://somebody:hunter2@gov.example' }, /^PUBLIC_URL/],
  [{ PUBLIC_URL: 'https://gov.example\\services' }, /^PUBLIC_URL/],
  [{ PUBLIC_URL: 'https://gov.\texample' }, /^PUBLIC_URL/],
  [
    { SMS_URL: 'ftp://gw.example' },
    /^SMS_URL: expected a URL that starts with https: or http: .*, received another value, which is a secret\. See/,
  ],
  [{ REGISTER_URL: 'ldap://register.example' }, /^REGISTER_URL: expected a URL that starts with https:/],
  [{ SMTP_URL: 'https://relay.example' }, /^SMTP_URL: expected a URL that starts with smtp: or smtps:/],
  [{ TERMS_URL: 'javascript:alert(1)' }, /^TERMS_URL: expected a URL that starts with https:/],
  [
    { SECURITY_CONTACT: 'security@gov.example' },
    /^SECURITY_CONTACT: expected .* starts with https: or mailto: or tel:/,
  ],
  [{ SUPPORT_EMAIL: 'the help desk' }, /^SUPPORT_EMAIL: expected one email address/],
  [{ TRUSTED_ISSUERS: 'https://a.example, http://issuer.example' }, /^TRUSTED_ISSUERS: expected https URLs/],
  [{ TRUSTED_ISSUERS: 'mailto:a@issuer.example' }, /^TRUSTED_ISSUERS: expected https URLs/],
  [
    { DATABASE_URL: 'postgres://u:hunter2@h:port/d' },
    /^DATABASE_URL: expected a postgres:\/\/ URL .*, received another value, which is a secret\. See/,
  ],
  [{ DATABASE_URL: 'postgres://u:p%E4ss@h/d' }, /^DATABASE_URL: expected .* percent-encoded user, password and path/],
  [{ DOCUMENT_STORE: 'https://store.example/bucket?region=eu' }, /^DOCUMENT_STORE: expected a folder or s3:/],
  [{ DOCUMENT_STORE: 'S3://bucket?region=eu' }, /^DOCUMENT_STORE: expected a folder or s3:/],
  [{ DOCUMENT_STORE: 's3://bucket/%zz?region=eu' }, /^DOCUMENT_STORE: expected a folder or s3:/],
  [{ CLAMAV: 'tcp://localhost:99999' }, /^CLAMAV: expected unix:\/path, tcp:\/\/host:port or off/],
  [{ CLAMAV: 'tcp://[:1]:3310' }, /^CLAMAV: expected unix:\/path, tcp:\/\/host:port or off/],
  [{ CLAMAV: 'tcp://localhost' }, /^CLAMAV: expected unix:\/path, tcp:\/\/host:port or off/],
  [{ REGISTER_COUNTRY: 'PRT' }, /^REGISTER_COUNTRY: expected two capital letters/],
  ...['gb', 'GBR', 'UK', 'XX', 'ZZ'].map(
    (code) => [{ PHONE_COUNTRY: code }, /^PHONE_COUNTRY: expected the code of a country in ISO 3166-1/] as const,
  ),
  [{ FEED_DAYS: '1000000' }, /^FEED_DAYS: expected a whole number from 7 to 999999/],
  [{ ACCESS_LOG_HIDDEN_DAYS: '100000' }, /^ACCESS_LOG_HIDDEN_DAYS: expected a whole number from 0 to 99999/],
  [{ REFUSE_CLAIMS_IN_URL: 'yes' }, /true or false/],
  [
    { DATABASE_URL: 'postgres://u:hunter2@h/d?target_session_attrs=any' },
    /^DATABASE_URL: expected .* read-write as its only target_session_attrs, received another value/,
  ],
  [
    { DATABASE_URL: 'mysql://root:hunter2@h' },
    /^DATABASE_URL: expected a postgres:\/\/ URL .*, received another value, which is a secret\. See/,
  ],
  [{ SMTP_URL: 'hunter2' }, /^SMTP_URL: expected a URL that starts with smtp: or smtps: .*, received another value/],
  [{ CLIENT_CERTIFICATE_HEADER: 'Client Cert' }, /^CLIENT_CERTIFICATE_HEADER: expected the name of a header/],
  [{ CLIENT_CERTIFICATE_HEADER: 'Authorization' }, /^CLIENT_CERTIFICATE_HEADER: expected the name of a header/],
  [{ BOUNCE_TOKEN: 'hunter2' }, /^BOUNCE_TOKEN: expected at least 16 characters, .*, received another value/],
  [{ HOLIDAYS: '2026-01-01 2026-1-6' }, /HOLIDAYS: expected days as YYYY-MM-DD/],
  [{ HOLIDAYS: '2026-02-30' }, /HOLIDAYS/],
  [{ WEEKEND: 'Friday, Caturday' }, /WEEKEND: expected up to six English names of weekdays/],
  [{ WEEKEND: 'mon tue wed' }, /WEEKEND/],
  [{ WEEKEND: 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday' }, /WEEKEND/],
  [{ TIME_ZONE: 'Lisbon' }, /^TIME_ZONE: expected a time zone of the IANA database/],
  [
    { DATABASE_URL_FILE: fileWith('empty', '\n') },
    /DATABASE_URL_FILE: expected a secret in .*, received an empty file/,
  ],
  [
    { MAIL_FROM: 'Tax Office <no-reply@tax.example>' },
    /^MAIL_FROM: expected one email address without a display name, such as mail@example\.org, received "Tax Office <no-reply@tax\.example>"/,
  ],
  [{ MAIL_FROM: 'no-reply' }, /^MAIL_FROM: expected one email address/],
  [{ MAIL_FROM: 'a@tax.example, b@tax.example' }, /^MAIL_FROM: expected one email address/],
  [{ BOUNCE_ADDRESS: 'bounces' }, /^BOUNCE_ADDRESS: expected one email address/],
  [{ BOUNCE_ADDRESS: 'Bounces <bounces@tax.example>' }, /^BOUNCE_ADDRESS: expected one email address/],
  [{ SETTINGS_FILE: '/nowhere' }, /^SETTINGS_FILE: expected the path of a file, received "\/nowhere"/],
  [{ SETTINGS_FILE: folder }, /^SETTINGS_FILE: expected the path of a file/],
  [{ DKIM_KEY_FILE: folder }, /^DKIM_KEY_FILE: expected the path of a file/],
  [{ SETTINGS_FILE: fileWith('typo', 'PROT=1\n') }, /line 1/],
] as const;

test('the fault of an invalid value has the setting, the expected and received value and the page, but no secret', () => {
  for (const [environment, expected] of invalid) {
    assert.throws(
      () => readSettings(environment),
      (fault) => fault instanceof SettingError && expected.test(fault.message),
    );
  }
});

test('every documented form of a value is accepted', () => {
  for (const environment of [
    { PUBLIC_URL: 'https://gov.example' },
    { PUBLIC_URL: 'https://gov.example:8443/' },
    { PUBLIC_URL: 'http://[::1]:3000' },
    { TRUSTED_ISSUERS: 'https://a.example/realms/x http://127.0.0.1:8080, http://localhost:9000' },
    { DATABASE_URL: 'postgres://cs@/cs?host=/run/postgresql' },
    { DATABASE_URL: 'postgres://cs:100%@db.example/cs' },
    { DATABASE_URL: 'postgres://cs:p@db1.example:5432,db2.example:5433/cs?target_session_attrs=read-write' },
    { DATABASE_URL: 'postgresql://cs:pa%20ss@db.example:5432/cs?sslmode=verify-full' },
    { DOCUMENT_STORE: 's3://bucket/prefix?region=eu&endpoint=https://store.example' },
    { DOCUMENT_STORE: 'documents' },
    { CLAMAV: 'tcp://[::1]:3310' },
    { CLAMAV: 'unix:/run/clamav/clamd.ctl' },
    { SECURITY_CONTACT: 'https://gov.example/security' },
  ]) {
    assert.ok(readSettings(environment));
  }
  for (const [text, origin] of [
    ['https://gov.example:8443/', 'https://gov.example:8443'],
    ['HTTPS://Gov.Example:443', 'https://gov.example'],
    ['https://blåbær.example', 'https://xn--blbr-roah.example'],
  ] as const)
    assert.equal(readSettings({ PUBLIC_URL: text }).publicUrl, origin);
});

test('a server that listens on all addresses requires PUBLIC_URL, for every spelling of HOST', () => {
  const urlFor = (host: string, publicUrl?: string) =>
    publicUrlFor({ host, publicUrl, tlsCertificate: undefined }, 3000);
  for (const host of ['0.0.0.0', '::', '0', '::0', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', 'fe80::1%eth0']) {
    assert.throws(() => urlFor(host), /^SettingError: PUBLIC_URL: expected the address that clients use/);
    assert.equal(urlFor(host, 'https://gov.example'), 'https://gov.example');
  }
  assert.deepEqual(
    [urlFor('::1'), urlFor('10.0.0.1'), urlFor('box')],
    ['http://[::1]:3000', 'http://10.0.0.1:3000', 'http://box:3000'],
  );
});

test('the domain of an email address is converted to ASCII', () => {
  const { mailFrom, bounceAddress } = readSettings({
    MAIL_FROM: 'no-reply@blåbær.example',
    BOUNCE_ADDRESS: 'b@ø.example',
  });
  assert.deepEqual([mailFrom, bounceAddress], ['no-reply@xn--blbr-roah.example', 'b@xn--pda.example']);
  assert.deepEqual([readSettings({}).mailFrom, readSettings({}).bounceAddress], ['no-reply@localhost', undefined]);
});

test('a token setting of 16 characters is accepted', () => {
  assert.equal(readSettings({ BOUNCE_TOKEN: 'hunter2hunter2hu' }).bounceToken?.reveal(), 'hunter2hunter2hu');
});

test('every group of settings is read, and no two settings share a name', () => {
  const grouped: readonly Setting[] = Object.values(settingGroups).flatMap((group) => Object.values<Setting>(group));
  assert.deepEqual(grouped, schemas);
  assert.equal(new Set(schemas.map(({ name }) => name)).size, Object.keys(readSettings({})).length);
});

test('an invalid setting has its default while all faults are collected', () => {
  const faults: string[] = [];
  const settings = readSettings({ PORT: 'x', FEED_DAYS: '0', HOST: '::1', DATABASE_URL: 'x' }, ({ setting }) =>
    faults.push(setting),
  );
  assert.deepEqual(faults.toSorted(), ['DATABASE_URL', 'FEED_DAYS', 'PORT']);
  assert.deepEqual(
    [settings.port, settings.feedDays, settings.host, settings.databaseUrl],
    [3000, 180, '::1', undefined],
  );
});

test('the default of every setting is valid', () => {
  for (const { name, type, default: text } of schemas)
    if (text !== undefined) assert.notEqual(type.parse(text), undefined, name);
});

test('the anchor in the message of a fault exists on the page of settings', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/settings.md'), 'utf8');
  for (const environment of [{ PORT: 'x' }, { SETTINGS_FILE: '/nowhere' }, { DATABASE_URL_FILE: '/nowhere' }]) {
    assert.throws(
      () => readSettings(environment),
      ({ message }: Error) => page.includes(`<a id="${/#(\w+)$/.exec(message)?.[1]}"></a>`),
    );
  }
});
