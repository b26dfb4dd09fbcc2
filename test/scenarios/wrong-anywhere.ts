import { methodsOf } from '../../src/api/operation.ts';
import { operations } from '../../src/operations.ts';
import { sampled } from './good-requests.ts';
import { atPath, type Expected, rawWith, type WrongInput, withBody, withHeaders, withQuery } from './wrong-input.ts';

const all = sampled;
const entries = new Map(operations.map((operation) => [operation.name, operation]));
const needs = (name: string) => entries.get(name)?.scope;
const guarded = all.filter((name) => needs(name) !== null);
const scoped = guarded.filter((name) => needs(name) !== 'any');
const json = all.filter((name) => {
  return !Object.values(entries.get(name)?.responses ?? {}).some((response) => response.bytes === true);
});

/** The methods of the path of this operation, as `Allow` has to tell them. */
function allowed(name: string): string {
  const methods = operations.filter(({ path }) => path === entries.get(name)?.path).flatMap(methodsOf);
  return [...methods, 'OPTIONS'].join(', ');
}

const bodiless = all.filter((name) => {
  const { method, request, bodyBytes } = entries.get(name) ?? {};
  return method === 'POST' && request?.body === undefined && bodyBytes === undefined;
});

/** Whether nothing stands one name below this operation. */
function isEnd(name: string): boolean {
  const below = `${entries.get(name)?.path}/`;
  return !operations.some(({ path }) => path.startsWith(below) && /^\{\w+\}$/.test(path.slice(below.length)));
}

const closing = { connection: 'close' };
const realm = 'Bearer realm="citizen-services", ';

const challenge = (operation: string): Expected => {
  const scope = needs(operation);
  const named = scope === 'any' ? '' : `scope="${scope}", `;
  const rest = `${named}resource_metadata="http://127\\.0\\.0\\.1:\\d+/\\.well-known/oauth-protected-resource/v1"`;
  const dpop = `DPoP realm="citizen-services", algs="ES256 PS256 EdDSA Ed25519", ${rest}`;
  return { 'www-authenticate': new RegExp(`^${realm}${rest}, ${dpop}$`) };
};
const invalid: Expected = {
  'www-authenticate': `${realm}error="invalid_token", error_description="The access token is not valid"`,
};

const tokens: readonly WrongInput[] = [
  {
    what: 'no token',
    on: guarded,
    make: (good) => withHeaders(good, { authorization: undefined }),
    is: [401, 'no-access-token'],
    headers: challenge,
  },
  {
    what: 'another scheme',
    on: guarded,
    make: (good) => withHeaders(good, { authorization: 'Basic YTpi' }),
    is: [401, 'no-access-token'],
    headers: challenge,
  },
  {
    what: 'the token in the query',
    on: guarded,
    make: (good, { token }) => withQuery(withHeaders(good, { authorization: undefined }), `access_token=${token}`),
    is: [401, 'no-access-token'],
    headers: challenge,
  },
  {
    what: 'the token in the query and in the header',
    on: all,
    make: (good, { token }) => withQuery(good, `access_token=${token}`),
    is: [400, 'bad-request'],
    issues: ['query access_token unknown-input'],
  },
  {
    what: 'a token that is none',
    on: guarded,
    make: (good) => withHeaders(good, { authorization: 'Bearer garbage' }),
    is: [401, 'invalid-access-token'],
    headers: invalid,
  },
  {
    what: 'a token with another signature',
    on: guarded,
    make: (good, { token }) => withHeaders(good, { authorization: `Bearer ${token.slice(0, -8)}AAAAAAAA` }),
    is: [401, 'invalid-access-token'],
    headers: invalid,
  },
  {
    what: 'an expired token',
    on: guarded,
    make: (good, { expired }) => withHeaders(good, { authorization: `Bearer ${expired}` }),
    is: [401, 'expired-access-token'],
    headers: { 'www-authenticate': `${realm}error="invalid_token", error_description="The access token expired"` },
  },
  {
    what: 'a token without the scope',
    on: scoped,
    make: (good, { narrow }) => withHeaders(good, { authorization: `Bearer ${narrow}` }),
    is: [403, 'missing-scope'],
    headers: (operation) => ({
      'www-authenticate': `${realm}error="insufficient_scope", scope="${needs(operation)}"`,
      ratelimit: /^"/,
    }),
  },
];

const paths: readonly WrongInput[] = [
  {
    what: 'a trailing slash',
    // The root of the interface is `/` in the OpenAPI document, and so in every client that is made from it.
    on: all.filter((name) => entries.get(name)?.path !== '/v1'),
    make: (good) => atPath(good, (path) => `${path}/`),
    is: [404, 'not-found'],
  },
  {
    what: 'capital letters in the path',
    on: all,
    make: (good) => atPath(good, (path) => path.replace('/v1', '/V1')),
    is: [404, 'not-found'],
  },
  {
    what: 'a path below it',
    on: all.filter(isEnd),
    make: (good) => atPath(good, (path) => `${path}/more`),
    is: [404, 'not-found'],
  },
  {
    what: 'bad percent-encoding in the path',
    on: all,
    make: (good) => atPath(good, (path) => `${path}%zz`),
    is: [400, 'malformed-http'],
  },
  {
    what: 'a method that is not offered',
    on: all,
    make: (good) => ({ ...good, method: 'PATCH' }),
    is: [405, 'method-not-allowed'],
    headers: (operation) => ({ allow: allowed(operation) }),
  },
  {
    what: 'a method that is not offered, and a media type that is none',
    on: all,
    make: (good) =>
      withHeaders({ ...good, method: 'PUT', body: '{' }, { 'content-type': 'json', 'content-length': '1' }),
    is: [405, 'method-not-allowed'],
    headers: (operation) => ({ allow: allowed(operation) }),
  },
  {
    what: 'a method that no server offers',
    on: all,
    make: (good) => rawWith({ ...good, method: 'FOO' }, []),
    is: [400, 'malformed-http'],
    headers: closing,
  },
  {
    what: 'TRACE',
    on: all,
    make: (good) => rawWith({ ...good, method: 'TRACE', body: '' }, []),
    is: [405, 'method-not-allowed'],
    headers: { allow: /GET, HEAD, POST/, ...closing },
  },
];

const queries: readonly WrongInput[] = [
  {
    what: 'an unknown query parameter',
    on: all,
    make: (good) => withQuery(good, 'colour=red'),
    is: [400, 'bad-request'],
    issues: ['query colour unknown-input'],
  },
  {
    what: 'an unknown query parameter whose name could be somebody',
    on: all,
    make: (good) => withQuery(good, 'Zzyxwname%20M%C3%BCller=1'),
    is: [400, 'bad-request'],
    issues: ['query … unknown-input'],
  },
  {
    what: 'bad percent-encoding in the query',
    on: all,
    make: (good) => withQuery(good, 'colour=%zz'),
    is: [400, 'bad-request'],
    issues: ['query colour malformed'],
  },
  {
    what: 'half of a surrogate pair in the query',
    on: all,
    make: (good) => withQuery(good, 'colour=%ED%A0%80'),
    is: [400, 'bad-request'],
    issues: ['query colour malformed'],
  },
  {
    what: 'a target of more than 8 KiB',
    on: all,
    make: (good) => withQuery(good, `colour=${'r'.repeat(8_192)}`),
    is: [414, 'uri-too-long'],
    headers: closing,
  },
];

const headers: readonly WrongInput[] = [
  {
    what: 'an Accept that it cannot meet',
    on: json,
    make: (good) => withHeaders(good, { accept: 'text/html, image/*;q=0.5' }),
    is: [406, 'not-acceptable'],
  },
  {
    what: 'an Accept that excludes what it has',
    on: json,
    make: (good) => withHeaders(good, { accept: 'application/json;q=0' }),
    is: [406, 'not-acceptable'],
  },
  {
    what: 'headers of more than 16 KiB',
    on: all,
    make: (good) => rawWith(good, [`x-filler: ${'f'.repeat(16_384)}`]),
    is: [431, 'headers-too-large'],
    headers: closing,
  },
  {
    what: 'two Host headers',
    on: all,
    make: (good) => rawWith(good, ['host: 127.0.0.1']),
    is: [400, 'malformed-http'],
    headers: closing,
  },
  {
    what: 'two Authorization headers',
    on: guarded,
    make: (good, { token }) => rawWith(good, [`authorization: Bearer ${token}`]),
    is: [400, 'malformed-http'],
    headers: closing,
  },
  {
    what: 'two idempotency keys',
    on: all,
    make: (good) => rawWith(good, ['idempotency-key: a', 'idempotency-key: b']),
    is: [400, 'malformed-http'],
    headers: closing,
  },
  {
    what: 'a target that names a host',
    on: all,
    make: (good, { url }) => rawWith({ ...good, path: `${url}${good.path}` }, []),
    is: [400, 'malformed-http'],
    headers: closing,
  },
  {
    what: 'an expectation that nobody can meet',
    on: all,
    make: (good) => rawWith(good, ['expect: 200-maybe']),
    is: [417, 'expectation-failed'],
    headers: closing,
  },
];

const bodies: readonly WrongInput[] = [
  {
    what: 'a body where none is taken',
    on: bodiless,
    make: (good) => withBody(good, '{"dryRun":true}'),
    is: [400, 'bad-request'],
    issues: ['body  unknown-input'],
  },
];

/** What is wrong in the same way with a request of any operation. */
export const wrongAnywhere: readonly WrongInput[] = [...tokens, ...paths, ...queries, ...headers, ...bodies];
