import { parseMailAddress } from '../kernel/mail-address.ts';
import type { Setting } from './setting-table.ts';

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** Whoever guesses it says what became of messages, and anybody may try. */
const leastToken = 16;

/** More help nobody: each has connections and 85 MiB of its own. */
const mostThreads = 64;

/** What a value had to be that it is not; undefined where it is. */
export function faultOf({ kind, schemes = [] }: Setting, value: string): string | undefined {
  switch (kind) {
    case 'port':
      return /^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? undefined : 'a port number from 0 to 65535';
    case 'store':
      return !/^s3:|^\w+:\/\//i.test(value) || isS3Place(value) ? undefined : 'a folder or s3://BUCKET/PREFIX?region=…';
    case 'count':
      return /^[1-9]\d{0,5}$/.test(value) ? undefined : 'a whole number from 1 to 999999';
    case 'threads':
      return /^[1-9]\d?$/.test(value) && Number(value) <= mostThreads
        ? undefined
        : `a whole number from 1 to ${mostThreads}`;
    case 'scanner':
      return isScanner(value) ? undefined : 'unix:/path, tcp://host:port or off';
    case 'milliseconds':
      return /^\d{1,4}$/.test(value) ? undefined : 'a whole number of milliseconds, at most 9999';
    case 'days':
      return /^\d{1,5}$/.test(value) ? undefined : 'a whole number of days, at most 99999';
    case 'dates':
      return listOf(value).every(isDay) ? undefined : 'days as YYYY-MM-DD, with blanks or commas between';
    case 'country':
      return /^[A-Z]{2}$/.test(value) ? undefined : 'two capital letters, as PT';
    case 'time-zone':
      return isTimeZone(value) ? undefined : 'a time zone of the IANA database, as Europe/Lisbon';
    case 'header':
      return isOwnHeader(value) ? undefined : 'the name of a header that means nothing else, as Client-Cert';
    case 'token':
      return value.length >= leastToken
        ? undefined
        : `at least ${leastToken} characters, as \`openssl rand -hex 32\` makes them`;
    case 'flag':
      return value === 'true' || value === 'false' ? undefined : 'true or false';
    case 'level':
      return levels.includes(value) ? undefined : `one of ${levels.join(', ')}`;
    case 'url':
      return faultOfUrl(value, schemes);
    case 'origin':
      return isOrigin(value) ? undefined : 'https:// or http:// with a host, and nothing behind it but a port';
    case 'database':
      return faultOfDatabase(value);
    case 'issuers':
      return listOf(value).every(isIssuer) ? undefined : 'https URLs, with blanks or commas between';
    case 'issuer':
      return isIssuer(value) ? undefined : 'an https URL';
    case 'mail-address':
      return parseMailAddress(value) ? undefined : 'one address without a name, as mail@example.org';
    case 'text':
    case 'path':
      return undefined;
  }
}

const hostless = /^(?:mailto|tel):/i;

function faultOfUrl(value: string, schemes: readonly string[]): string | undefined {
  const url = URL.parse(value);
  if (url === null || !schemes.some((scheme) => url.protocol === `${scheme}:`)) {
    return `an absolute URL that begins with ${schemes.map((scheme) => `${scheme}:`).join(' or ')}`;
  }
  if (url.hostname === '' && !hostless.test(value)) return `a host behind ${url.protocol}//`;
  return isEncoded(url) ? undefined : encoded;
}

const encoded = 'user, password and path percent-encoded, % itself as %25';

function faultOfDatabase(value: string): string | undefined {
  // Over a socket it has no host before its path. A % that begins no code is one to the driver.
  const url = URL.parse(value.replace('@/', '@localhost/').replace(/%(?![\da-f]{2})/gi, '%25'));
  if (url === null || !/^postgres(ql)?:\/\//.test(value)) return 'a postgres:// URL';
  return isEncoded(url) ? undefined : encoded;
}

/** Whether the codes in its parts are those of a text: whoever takes a password out of a URL takes them apart. */
function isEncoded({ username, password, pathname }: URL): boolean {
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
function isOwnHeader(value: string): boolean {
  return (
    /^[\w!#$%&'*+.^`|~-]+$/.test(value) &&
    !/^(?:authorization|dpop|host|connection|accept|range|content-.*|if-.*)$/i.test(value)
  );
}

/** Whose keys are fetched by plain http could be anybody on the way; on this machine nobody is. */
export function isIssuer(value: string): boolean {
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

function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

function isScanner(value: string): boolean {
  return /^(?:off|unix:\/\S+)$/.test(value) || (/^tcp:\/\/\S+:\d+$/.test(value) && URL.canParse(value));
}

function isS3Place(value: string): boolean {
  const url = URL.parse(value);
  const names = [...(url?.searchParams.keys() ?? [])];
  const endpoint = url?.searchParams.get('endpoint') ?? 'https://aws';
  return (
    url?.protocol === 's3:' &&
    value.startsWith('s3://') &&
    url.host !== '' &&
    isEncoded(url) &&
    url.searchParams.has('region') &&
    names.every((name) => name === 'region' || name === 'endpoint') &&
    /^https?:\/\//.test(endpoint) &&
    URL.canParse(endpoint)
  );
}

/** The items of a list, with blanks or commas between. */
export function listOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((item) => item !== '');
}
