import { parseEmailAddress } from '../kernel/email-address.ts';
import type { Setting } from './setting.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** Whoever guesses it says what became of messages, and anybody may try. */
const minTokenLength = 16;

/** More help nobody: each has connections and 85 MiB of its own. */
const maxThreads = 64;

/** What a value had to be that it is not; undefined where it is. */
export function validateSetting({ kind, schemes = [] }: Setting, value: string): string | undefined {
  switch (kind) {
    case 'port':
      return /^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? undefined : 'a port number from 0 to 65535';
    case 'store':
      return !/^s3:|^\w+:\/\//i.test(value) || isS3Url(value) ? undefined : 'a folder or s3://BUCKET/PREFIX?region=…';
    case 'count':
      return /^[1-9]\d{0,5}$/.test(value) ? undefined : 'a whole number from 1 to 999999';
    case 'threads':
      return /^[1-9]\d?$/.test(value) && Number(value) <= maxThreads
        ? undefined
        : `a whole number from 1 to ${maxThreads}`;
    case 'scanner':
      return isScanner(value) ? undefined : 'unix:/path, tcp://host:port or off';
    case 'milliseconds':
      return /^\d{1,4}$/.test(value) ? undefined : 'a whole number of milliseconds, at most 9999';
    case 'days':
      return /^\d{1,5}$/.test(value) ? undefined : 'a whole number of days, at most 99999';
    case 'dates':
      return parseList(value).every(isDate) ? undefined : 'days as YYYY-MM-DD, with blanks or commas between';
    case 'country':
      return /^[A-Z]{2}$/.test(value) ? undefined : 'two capital letters, as PT';
    case 'time-zone':
      return isTimeZone(value) ? undefined : 'a time zone of the IANA database, as Europe/Lisbon';
    case 'header':
      return isCustomHeaderName(value) ? undefined : 'the name of a header that means nothing else, as Client-Cert';
    case 'token':
      return value.length >= minTokenLength
        ? undefined
        : `at least ${minTokenLength} characters, as \`openssl rand -hex 32\` makes them`;
    case 'flag':
      return value === 'true' || value === 'false' ? undefined : 'true or false';
    case 'level':
      return logLevels.includes(value) ? undefined : `one of ${logLevels.join(', ')}`;
    case 'url':
      return validateUrl(value, schemes);
    case 'origin':
      return isOrigin(value) ? undefined : 'https:// or http:// with a host, and nothing behind it but a port';
    case 'database':
      return validateDatabaseUrl(value);
    case 'issuers':
      return parseList(value).every(isIssuerUrl) ? undefined : 'https URLs, with blanks or commas between';
    case 'issuer':
      return isIssuerUrl(value) ? undefined : 'an https URL';
    case 'mail-address':
      return parseEmailAddress(value) ? undefined : 'one address without a name, as mail@example.org';
    case 'text':
    case 'path':
      return undefined;
  }
}

const hostlessUrlPattern = /^(?:mailto|tel):/i;

function validateUrl(value: string, schemes: readonly string[]): string | undefined {
  const url = URL.parse(value);
  if (url === null || !schemes.some((scheme) => url.protocol === `${scheme}:`)) {
    return `an absolute URL that begins with ${schemes.map((scheme) => `${scheme}:`).join(' or ')}`;
  }
  if (url.hostname === '' && !hostlessUrlPattern.test(value)) return `a host behind ${url.protocol}//`;
  return isPercentEncoded(url) ? undefined : percentEncodingRequirement;
}

const percentEncodingRequirement = 'user, password and path percent-encoded, % itself as %25';

function validateDatabaseUrl(value: string): string | undefined {
  // Over a socket it has no host before its path. A % that begins no code is one to the driver.
  const url = URL.parse(value.replace('@/', '@localhost/').replace(/%(?![\da-f]{2})/gi, '%25'));
  if (url === null || !/^postgres(ql)?:\/\//.test(value)) return 'a postgres:// URL';
  return isPercentEncoded(url) ? undefined : percentEncodingRequirement;
}

/** Whether the codes in its parts are those of a text: whoever takes a password out of a URL takes them apart. */
function isPercentEncoded({ username, password, pathname }: URL): boolean {
  try {
    decodeURIComponent([username, password, pathname].join('/'));
    return true;
  } catch (fault) {
    if (fault instanceof URIError) return false;
    throw fault;
  }
}

/** What callers begin every address with; a blank path is left out later. */
function isOrigin(value: string): boolean {
  return URL.canParse(value) && /^https?:\/\/[^/?#@\\\s]+\/*$/i.test(value);
}

/** Of requests from elsewhere it is taken off: what every caller sends cannot be it. */
function isCustomHeaderName(value: string): boolean {
  return (
    /^[\w!#$%&'*+.^`|~-]+$/.test(value) &&
    !/^(?:authorization|dpop|host|connection|accept|range|content-.*|if-.*)$/i.test(value)
  );
}

/** Whose keys are fetched by plain http could be anybody on the way; on this machine nobody is. */
export function isIssuerUrl(value: string): boolean {
  const url = URL.parse(value);
  return (
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname))
  );
}

function isTimeZone(value: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch {
    // No name that the time zone data have.
    return false;
  }
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

/** The items of a list, with blanks or commas between. */
export function parseList(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((item) => item !== '');
}
