/** How the value of a setting is read. */
export type SettingKind =
  | 'text'
  | 'port'
  | 'url'
  | 'path'
  | 'flag'
  | 'level'
  | 'list'
  | 'country'
  | 'scanner'
  | 'count'
  | 'days'
  | 'milliseconds'
  | 'store';

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** What a value of that kind should have been, in words; undefined where it is one. */
export function faultOf(kind: SettingKind, value: string): string | undefined {
  switch (kind) {
    case 'port':
      return /^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? undefined : 'a port number from 0 to 65535';
    case 'store':
      return !value.startsWith('s3:') || isS3Place(value) ? undefined : 'a folder or s3://BUCKET/PREFIX?region=…';
    case 'count':
      return /^[1-9]\d{0,5}$/.test(value) ? undefined : 'a whole number above 0';
    case 'scanner':
      return /^(?:off|unix:\/\S+|tcp:\/\/\S+:\d{1,5})$/.test(value) ? undefined : 'unix:/path, tcp://host:port or off';
    case 'milliseconds':
      return /^\d{1,4}$/.test(value) ? undefined : 'a whole number of milliseconds, at most 9999';
    case 'days':
      return /^\d{1,5}$/.test(value) ? undefined : 'a whole number of days';
    case 'country':
      return /^[A-Z]{2}$/.test(value) ? undefined : 'two capital letters, as PT';
    case 'flag':
      return value === 'true' || value === 'false' ? undefined : 'true or false';
    case 'level':
      return levels.includes(value) ? undefined : `one of ${levels.join(', ')}`;
    case 'url':
      return URL.canParse(value) ? undefined : 'an absolute URL';
    case 'list':
      return value.split(/[\s,]+/).every((item) => item === '' || URL.canParse(item)) ? undefined : 'absolute URLs';
    case 'text':
    case 'path':
      return undefined;
  }
}

function isS3Place(value: string): boolean {
  const url = URL.parse(value);
  const names = [...(url?.searchParams.keys() ?? [])];
  const endpoint = url?.searchParams.get('endpoint') ?? 'https://aws';
  return (
    url !== null &&
    url.host !== '' &&
    url.searchParams.has('region') &&
    names.every((name) => name === 'region' || name === 'endpoint') &&
    /^https?:\/\//.test(endpoint) &&
    URL.canParse(endpoint)
  );
}
