import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { publicUrlFor } from './public-url.ts';
import { settingTable } from './setting-table.ts';
import { inlineSettingFiles, readSettings, SettingError } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'cs-settings-'));
after(() => rmSync(folder, { recursive: true }));
const fileWith = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

test('without any setting the defaults hold', () => {
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

test('environment goes over file, file over default; blank is not set', () => {
  const SETTINGS_FILE = fileWith('settings', '# comment\nPORT = 4000\nLOG_LEVEL=warn\n');
  assert.equal(readSettings({ SETTINGS_FILE }).port, 4000);
  assert.equal(readSettings({ SETTINGS_FILE, PORT: '5000' }).port, 5000);
  assert.equal(readSettings({ SETTINGS_FILE, PORT: ' ' }).port, 4000);
});

test('every setting can stand in the file, and what is blank there is not set', () => {
  for (const [name, { fallback }] of Object.entries(settingTable)) {
    const SETTINGS_FILE = fileWith('one', `${name} = ${fallback ?? ''}\n`);
    assert.deepEqual(readSettings({ SETTINGS_FILE }), readSettings({}), name);
  }
  const SETTINGS_FILE = fileWith('s3', 'S3_ACCESS_KEY_ID=abc\n');
  assert.equal(readSettings({ SETTINGS_FILE }).s3AccessKeyId, 'abc');
});

test('a secret comes from its file, not from both, and shows nowhere', () => {
  const DATABASE_URL_FILE = fileWith('url', 'postgres://u:hunter2@h/d\n');
  const settings = readSettings({ DATABASE_URL_FILE });
  assert.equal(settings.databaseUrl?.reveal(), 'postgres://u:hunter2@h/d');
  assert.ok(!inspect(settings, { depth: 9 }).includes('hunter2'));
  assert.throws(
    () => readSettings({ DATABASE_URL_FILE, DATABASE_URL: 'postgres://h/d' }),
    /both DATABASE_URL and DATABASE_URL_FILE/,
  );
});

test('an environment without its files says the same of every setting when those are others', () => {
  assert.deepEqual(readSettings(inlineSettingFiles({})), readSettings({}));
  const SETTINGS_FILE = fileWith('first', 'PORT=4000\nREGISTER_NAME="Register of  Persons"\nLOG_LEVEL=warn\nHOST=\n');
  const DATABASE_URL_FILE = fileWith('first-url', 'postgres://u:hunter2@h/d\n');
  const environment = { SETTINGS_FILE, DATABASE_URL_FILE, LOG_LEVEL: 'error', ROOT_KEY_FILE: 'root.key' };
  const [before, kept] = [readSettings(environment), inlineSettingFiles(environment)];
  fileWith('first', 'PORT=5000\nno setting\n');
  fileWith('first-url', '');
  assert.throws(() => readSettings(environment), SettingError);
  const after = readSettings(kept);
  assert.deepEqual(
    { ...after, databaseUrl: after.databaseUrl?.reveal() },
    { ...before, databaseUrl: before.databaseUrl?.reveal() },
  );
  assert.deepEqual(
    [after.port, after.logLevel, after.databaseUrl?.reveal()],
    [4000, 'error', 'postgres://u:hunter2@h/d'],
  );
});

const wrong = [
  [{ PORT: 'http' }, /^PORT: expected a port number from 0 to 65535, "http" came\. See docs\/settings\.md#port$/],
  [{ PORT: '70000' }, /PORT/],
  [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL: expected one of/],
  [
    { PUBLIC_URL: 'example' },
    /^PUBLIC_URL: expected https:\/\/ or http:\/\/ with a host, and nothing behind it but a port/,
  ],
  [{ PUBLIC_URL: 'ftp://gov.example' }, /^PUBLIC_URL/],
  [{ PUBLIC_URL: 'https://gov.example/services' }, /^PUBLIC_URL/],
  [{ PUBLIC_URL: 'https://gov.example?a=b' }, /^PUBLIC_URL/],
  [{ PUBLIC_URL: 'https://somebody:hunter2@gov.example' }, /^PUBLIC_URL/],
  [{ PUBLIC_URL: 'https://gov.example\\services' }, /^PUBLIC_URL/],
  [{ PUBLIC_URL: 'https://gov.\texample' }, /^PUBLIC_URL/],
  [
    { SMS_URL: 'ftp://gw.example' },
    /^SMS_URL: expected an absolute URL that begins with https: or http:, something else/,
  ],
  [{ REGISTER_URL: 'ldap://register.example' }, /^REGISTER_URL: expected an absolute URL that begins with https:/],
  [{ SMTP_URL: 'https://relay.example' }, /^SMTP_URL: expected an absolute URL that begins with smtp: or smtps:/],
  [{ TERMS_URL: 'javascript:alert(1)' }, /^TERMS_URL: expected an absolute URL that begins with https:/],
  [
    { SECURITY_CONTACT: 'security@gov.example' },
    /^SECURITY_CONTACT: expected .* begins with https: or mailto: or tel:/,
  ],
  [{ SUPPORT_EMAIL: 'the help desk' }, /^SUPPORT_EMAIL: expected one address/],
  [{ TRUSTED_ISSUERS: 'https://a.example, http://issuer.example' }, /^TRUSTED_ISSUERS: expected https URLs/],
  [{ TRUSTED_ISSUERS: 'mailto:a@issuer.example' }, /^TRUSTED_ISSUERS: expected https URLs/],
  [
    { DATABASE_URL: 'postgres://u:hunter2@h:port/d' },
    /^DATABASE_URL: expected a postgres:\/\/ URL, something else came/,
  ],
  [{ DATABASE_URL: 'postgres://u:p%E4ss@h/d' }, /^DATABASE_URL: expected user, password and path percent-encoded/],
  [{ DOCUMENT_STORE: 'https://store.example/bucket?region=eu' }, /^DOCUMENT_STORE: expected a folder or s3:/],
  [{ DOCUMENT_STORE: 'S3://bucket?region=eu' }, /^DOCUMENT_STORE: expected a folder or s3:/],
  [{ DOCUMENT_STORE: 's3://bucket/%zz?region=eu' }, /^DOCUMENT_STORE: expected a folder or s3:/],
  [{ CLAMAV: 'tcp://localhost:99999' }, /^CLAMAV: expected unix:\/path, tcp:\/\/host:port or off/],
  [{ CLAMAV: 'tcp://[:1]:3310' }, /^CLAMAV: expected unix:\/path, tcp:\/\/host:port or off/],
  [{ CLAMAV: 'tcp://localhost' }, /^CLAMAV: expected unix:\/path, tcp:\/\/host:port or off/],
  [{ REGISTER_COUNTRY: 'PRT' }, /^REGISTER_COUNTRY: expected two capital letters/],
  [{ FEED_DAYS: '1000000' }, /^FEED_DAYS: expected a whole number from 1 to 999999/],
  [{ ACCESS_LOG_HIDDEN_DAYS: '100000' }, /^ACCESS_LOG_HIDDEN_DAYS: expected a whole number of days, at most 99999/],
  [{ REFUSE_CLAIMS_IN_URL: 'yes' }, /true or false/],
  [{ DATABASE_URL: 'mysql://root:hunter2@h' }, /^DATABASE_URL: expected a postgres:\/\/ URL, something else came/],
  [
    { SMTP_URL: 'hunter2' },
    /^SMTP_URL: expected an absolute URL that begins with smtp: or smtps:, something else came/,
  ],
  [{ CLIENT_CERTIFICATE_HEADER: 'Client Cert' }, /^CLIENT_CERTIFICATE_HEADER: expected the name of a header/],
  [{ CLIENT_CERTIFICATE_HEADER: 'Authorization' }, /^CLIENT_CERTIFICATE_HEADER: expected the name of a header/],
  [{ BOUNCE_TOKEN: 'hunter2' }, /^BOUNCE_TOKEN: expected at least 16 characters, .* something else came/],
  [{ HOLIDAYS: '2026-01-01 2026-1-6' }, /HOLIDAYS: expected days as YYYY-MM-DD/],
  [{ HOLIDAYS: '2026-02-30' }, /HOLIDAYS/],
  [{ TIME_ZONE: 'Lisbon' }, /^TIME_ZONE: expected a time zone of the IANA database/],
  [{ DATABASE_URL_FILE: fileWith('empty', '\n') }, /DATABASE_URL_FILE: expected the secret in .* is empty/],
  [
    { MAIL_FROM: 'Tax Office <no-reply@tax.example>' },
    /^MAIL_FROM: expected one address without a name, as mail@example\.org, "Tax Office <no-reply@tax\.example>" came/,
  ],
  [{ MAIL_FROM: 'no-reply' }, /^MAIL_FROM: expected one address/],
  [{ MAIL_FROM: 'a@tax.example, b@tax.example' }, /^MAIL_FROM: expected one address/],
  [{ BOUNCE_ADDRESS: 'bounces' }, /^BOUNCE_ADDRESS: expected one address/],
  [{ BOUNCE_ADDRESS: 'Bounces <bounces@tax.example>' }, /^BOUNCE_ADDRESS: expected one address/],
  [{ SETTINGS_FILE: '/nowhere' }, /^SETTINGS_FILE: expected the path of a file, "\/nowhere" is none/],
  [{ SETTINGS_FILE: folder }, /^SETTINGS_FILE: expected the path of a file/],
  [{ DKIM_KEY_FILE: folder }, /^DKIM_KEY_FILE: expected the path of a file/],
  [{ SETTINGS_FILE: fileWith('typo', 'PROT=1\n') }, /line 1/],
] as const;

test('a wrong value stops the start with its name, what came, what was expected, and the page; a secret is not repeated', () => {
  for (const [environment, expected] of wrong) {
    assert.throws(
      () => readSettings(environment),
      (fault) => fault instanceof SettingError && expected.test(fault.message),
    );
  }
});

test('what is written in several ways is taken', () => {
  for (const environment of [
    { PUBLIC_URL: 'https://gov.example' },
    { PUBLIC_URL: 'https://gov.example:8443/' },
    { PUBLIC_URL: 'http://[::1]:3000' },
    { TRUSTED_ISSUERS: 'https://a.example/realms/x http://127.0.0.1:8080, http://localhost:9000' },
    { DATABASE_URL: 'postgres://cs@/cs?host=/run/postgresql' },
    { DATABASE_URL: 'postgres://cs:100%@db.example/cs' },
    { DATABASE_URL: 'postgresql://cs:pa%20ss@db.example:5432/cs?sslmode=verify-full' },
    { DOCUMENT_STORE: 's3://bucket/prefix?region=eu&endpoint=https://store.example' },
    { DOCUMENT_STORE: 'documents' },
    { CLAMAV: 'tcp://[::1]:3310' },
    { CLAMAV: 'unix:/run/clamav/clamd.ctl' },
    { SECURITY_CONTACT: 'https://gov.example/security' },
  ]) {
    assert.ok(readSettings(environment));
  }
  for (const [written, read] of [
    ['https://gov.example:8443/', 'https://gov.example:8443'],
    ['HTTPS://Gov.Example:443', 'https://gov.example'],
    ['https://blåbær.example', 'https://xn--blbr-roah.example'],
  ] as const)
    assert.equal(readSettings({ PUBLIC_URL: written }).publicUrl, read);
});

test('who listens everywhere says where callers are, however that is written', () => {
  const at = (host: string, publicUrl?: string) => publicUrlFor({ host, publicUrl, tlsCertificate: undefined }, 3000);
  for (const host of ['0.0.0.0', '::', '0', '::0', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', 'fe80::1%eth0']) {
    assert.throws(() => at(host), /^SettingError: PUBLIC_URL: expected the address that callers use/);
    assert.equal(at(host, 'https://gov.example'), 'https://gov.example');
  }
  assert.deepEqual(
    [at('::1'), at('10.0.0.1'), at('box')],
    ['http://[::1]:3000', 'http://10.0.0.1:3000', 'http://box:3000'],
  );
});

test('addresses of mail have their domain in ASCII', () => {
  const { mailFrom, bounceAddress } = readSettings({
    MAIL_FROM: 'no-reply@blåbær.example',
    BOUNCE_ADDRESS: 'b@ø.example',
  });
  assert.deepEqual([mailFrom, bounceAddress], ['no-reply@xn--blbr-roah.example', 'b@xn--pda.example']);
  assert.deepEqual([readSettings({}).mailFrom, readSettings({}).bounceAddress], ['no-reply@localhost', undefined]);
});

test('a token of sixteen characters is long enough', () => {
  assert.equal(readSettings({ BOUNCE_TOKEN: 'hunter2hunter2hu' }).bounceToken?.reveal(), 'hunter2hunter2hu');
});

test('every setting of the table is read', () => {
  const names = Object.keys(settingTable);
  assert.equal(Object.keys(readSettings({})).length, names.length);
});

test('the place that a fault names stands on the page of settings', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/settings.md'), 'utf8');
  for (const environment of [{ PORT: 'x' }, { SETTINGS_FILE: '/nowhere' }, { DATABASE_URL_FILE: '/nowhere' }]) {
    assert.throws(
      () => readSettings(environment),
      ({ message }: Error) => page.includes(`<a id="${/#(\w+)$/.exec(message)?.[1]}"></a>`),
    );
  }
});
