import { resolve } from 'node:path';
import { contrastRatio, isHexColour } from '../kernel/colour-contrast.ts';
import { parseEmailAddress } from '../kernel/email-address.ts';
import { parsePostgresUrl, splitPostgresUrl } from '../kernel/postgres-url.ts';
import { Secret } from '../kernel/secret.ts';
import type { SettingType } from './setting.ts';

/** Any text. The code that uses the setting checks it. */
export const textType: SettingType<string> = { expected: 'a text', parse: (text) => text };

/** A domain name, in lower case. */
export const domainType: SettingType<string> = { expected: 'a domain name', parse: (text) => text.toLowerCase() };

/** The path of a file or folder. A relative path starts at the working directory. */
export const pathType: SettingType<string> = {
  expected: 'a path',
  parse: (text) => resolve(text),
  isPath: true,
};

/** `true` or `false`. */
export const flagType: SettingType<boolean> = {
  expected: 'true or false',
  parse: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
};

/** A TCP port, where 0 selects a free port. */
export const portType: SettingType<number> = {
  expected: 'a port number from 0 to 65535',
  parse: wholeNumberType(0, 65_535).parse,
};

/** A whole number from 1 to 999999. */
export const countType = wholeNumberType(1, 999_999);

/** A whole number of MiB from 1 to 999999. The value is in bytes. */
export const mebibytesType: SettingType<number> = {
  expected: countType.expected,
  parse: (text) => {
    const count = countType.parse(text);
    return count === undefined ? undefined : count * 1_048_576;
  },
};

/** A whole number from `min` to `max`, both included. */
export function wholeNumberType(min: number, max: number): SettingType<number> {
  return {
    expected: `a whole number from ${min} to ${max}`,
    parse: (text) => (/^\d{1,6}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined),
  };
}

/** One of these words. */
export function choiceType(...choices: readonly string[]): SettingType<string> {
  return {
    expected: `one of ${choices.join(', ')}`,
    parse: (text) => (choices.includes(text) ? text : undefined),
  };
}

/** Any texts, separated by spaces or commas. The code that uses the setting checks them. */
export const listType: SettingType<readonly string[]> = { expected: 'a list', parse: splitList };

/** Roles with their scopes, as role=scope+scope, separated by spaces or commas. */
export const rolesType: SettingType<ReadonlyMap<string, readonly string[]>> = {
  expected: 'roles as ROLE=SCOPE, separated by spaces or commas',
  parse: (text) => {
    const pairs = splitList(text).map((item) => /^([^=]+)=([^=]+)$/.exec(item));
    if (pairs.length === 0 || pairs.some((pair) => pair === null)) return undefined;
    return new Map(pairs.map((pair) => [pair?.[1] ?? '', (pair?.[2] ?? '').split('+')]));
  },
};

/** Calendar days, separated by spaces or commas. */
export const datesType: SettingType<readonly string[]> = {
  expected: 'days as YYYY-MM-DD, separated by spaces or commas',
  parse: (text) => everyItem(text, isDate),
};

/** Days of the week that are not working days, in their order in the week from Monday. At least one day is a working day. */
export const weekendType: SettingType<readonly string[]> = {
  expected: 'up to six English names of weekdays, such as Friday, Saturday, separated by spaces or commas',
  parse: (text) => {
    const names = new Set(splitList(text.toLowerCase()));
    const found = weekdays.filter((weekday) => names.has(weekday.toLowerCase()));
    return found.length === names.size && found.length < weekdays.length ? found : undefined;
  },
};

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** URLs of issuers, separated by spaces or commas. */
export const issuersType: SettingType<readonly string[]> = {
  expected: 'https URLs, separated by spaces or commas',
  parse: (text) => everyItem(text, isIssuerUrl),
};

/** The URL of one issuer. */
export const issuerType: SettingType<string> = {
  expected: 'an https URL',
  parse: (text) => (isIssuerUrl(text) ? text : undefined),
};

/** Two capital letters of ISO 3166-1. */
export const countryType: SettingType<string> = {
  expected: 'two capital letters, such as PT',
  parse: (text) => (/^[A-Z]{2}$/.test(text) ? text : undefined),
};

/** The code of a country that exists today. `UK` is only an alias of `GB`, and phone numbers have no such country. */
export const existingCountryType: SettingType<string> = {
  expected: 'the code of a country in ISO 3166-1, two capital letters such as PT',
  parse: (text) => (/^[A-Z]{2}$/.test(text) && isExistingCountry(text) ? text : undefined),
};

/** The name of a time zone that the runtime knows. */
export const timeZoneType: SettingType<string> = {
  expected: 'a time zone of the IANA database, such as Europe/Lisbon',
  parse: (text) => (isTimeZone(text) ? text : undefined),
};

/** White text on the colour, and text of the colour on the light grey of the pages, need a contrast of 4.5 (WCAG 2.2, 1.4.3). */
const minContrastToWhite = 5;

/** A colour for white text, in lower case. */
export const brandColourType: SettingType<string> = {
  expected: `a colour as #RRGGBB that is dark enough for white text (a contrast to white of at least ${minContrastToWhite}), such as #0b4f9e`,
  parse: (text) =>
    isHexColour(text) && contrastRatio(text, '#ffffff') >= minContrastToWhite ? text.toLowerCase() : undefined,
};

/** One email address without a display name. Its domain is converted to ASCII, the form that SMTP uses. */
export const emailAddressType: SettingType<string> = {
  expected: 'one email address without a display name, such as mail@example.org',
  parse: parseEmailAddress,
};

/** A request header that has no other use, in lower case. */
export const headerNameType: SettingType<string> = {
  expected: 'the name of a header that has no other meaning, such as Client-Cert',
  parse: (text) => (isCustomHeaderName(text) ? text.toLowerCase() : undefined),
};

/** A scheme, host and optional port, as the serialized origin of the URL standard, which clients compare. */
export const originType: SettingType<string> = {
  expected: 'https:// or http:// with a host and an optional port, such as https://api.example.gov',
  parse: (text) => (/^https?:\/\/[^/?#@\\\s]+\/*$/i.test(text) ? URL.parse(text)?.origin : undefined),
};

/** An absolute URL with one of these schemes. */
export function urlType(...schemes: readonly string[]): SettingType<string> {
  const start = schemes.map((scheme) => `${scheme}:`).join(' or ');
  return {
    expected: `a URL that starts with ${start} and has ${urlParts}`,
    parse: (text) => (isUrl(text, schemes) ? text : undefined),
  };
}

/** The URL of a PostgreSQL database, with one host or several. */
export const databaseUrlType: SettingType<string> = {
  expected:
    'a postgres:// URL such as postgres://USER:PASSWORD@HOST1:5432,HOST2:5432/DATABASE, with percent-encoded user, password and path (% is %25), and with read-write as its only target_session_attrs',
  parse: (text) => (isDatabaseUrl(text) ? text : undefined),
};

/** A folder, or a bucket with its region and, for stores other than AWS, an endpoint. */
export const documentStoreType: SettingType<string> = {
  expected: 'a folder or s3://BUCKET/PREFIX?region=…',
  parse: (text) => {
    if (!/^s3:|^\w+:\/\//i.test(text)) return resolve(text);
    return isS3Url(text) ? text : undefined;
  },
  isPath: true,
};

/** The address of clamd, or `off`. */
export const scannerType: SettingType<string> = {
  expected: 'unix:/path, tcp://host:port or off',
  parse: (text) => (isScanner(text) ? text : undefined),
};

/** Anybody may call the endpoints that a token protects, and a guessed token allows false delivery reports. */
const minTokenLength = 16;

/** A shared secret that another party sends with its requests. */
export const tokenType: SettingType<string> = {
  expected: `at least ${minTokenLength} characters, such as the output of \`openssl rand -hex 32\``,
  parse: (text) => (text.length >= minTokenLength ? text : undefined),
};

/** A secret of the given type: logs and messages cannot print it, and it can come from a file. */
export function secretType({ expected, parse }: SettingType<string>): SettingType<Secret> {
  return {
    expected,
    parse: (text) => {
      const value = parse(text);
      return value === undefined ? undefined : new Secret(value);
    },
    isSecret: true,
  };
}

/** Whether a URL can be an issuer. Plain http is safe on this machine only: an attacker could replace the keys. */
export function isIssuerUrl(value: string): boolean {
  const url = URL.parse(value);
  return (
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname))
  );
}

const urlParts = 'a host, and percent-encoded user, password and path (% is %25)';

function isUrl(value: string, schemes: readonly string[]): boolean {
  const url = URL.parse(value);
  if (url === null || !schemes.some((scheme) => url.protocol === `${scheme}:`)) return false;
  return (url.hostname !== '' || /^(?:mailto|tel):/i.test(value)) && isPercentEncoded(url);
}

function isDatabaseUrl(value: string): boolean {
  const urls = splitPostgresUrl(value)?.map(parsePostgresUrl);
  return urls?.every((url) => url !== null && isPercentEncoded(url) && asksForPrimary(url)) === true;
}

/** The server writes, so it connects to a primary only, whether the URL asks for that or not. */
function asksForPrimary({ searchParams }: URL): boolean {
  return ['read-write', 'primary'].includes(searchParams.get('target_session_attrs') ?? 'primary');
}

/** Returns whether user, password and path can be decoded. The adapters decode them to log in. */
function isPercentEncoded({ username, password, pathname }: URL): boolean {
  try {
    decodeURIComponent([username, password, pathname].join('/'));
    return true;
  } catch (fault) {
    if (fault instanceof URIError) return false;
    throw fault;
  }
}

/** The server removes this header from the requests of other clients, so it cannot be one that every client sends. */
function isCustomHeaderName(value: string): boolean {
  return (
    /^[\w!#$%&'*+.^`|~-]+$/.test(value) &&
    !/^(?:authorization|dpop|host|connection|accept|range|content-.*|if-.*)$/i.test(value)
  );
}

function isTimeZone(value: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch (fault) {
    if (fault instanceof RangeError) return false;
    throw fault;
  }
}

function isExistingCountry(code: string): boolean {
  const name = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(code);
  return name !== undefined && code !== 'ZZ' && Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;
}

function isDate(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

function isScanner(value: string): boolean {
  return /^(?:off|unix:\/\S+)$/.test(value) || (/^tcp:\/\/\S+:\d+$/.test(value) && URL.canParse(value));
}

function isS3Url(value: string): boolean {
  const url = URL.parse(value);
  const names = [...(url?.searchParams.keys() ?? [])];
  const endpoint = url?.searchParams.get('endpoint') ?? 'https://aws';
  return (
    url?.protocol === 's3:' &&
    value.startsWith('s3://') &&
    url.host !== '' &&
    isPercentEncoded(url) &&
    url.searchParams.has('region') &&
    names.every((name) => name === 'region' || name === 'endpoint') &&
    /^https?:\/\//.test(endpoint) &&
    URL.canParse(endpoint)
  );
}

function everyItem(text: string, isValid: (item: string) => boolean): readonly string[] | undefined {
  const items = splitList(text);
  return items.every(isValid) ? items : undefined;
}

function splitList(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((item) => item !== '');
}
