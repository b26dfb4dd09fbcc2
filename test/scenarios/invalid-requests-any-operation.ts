import { operationMethods } from '../../src/api/operation.ts';
import { operations } from '../../src/app/operations.ts';
import { sampledOperations } from '../support/valid-requests.ts';
import {
  atPath,
  type ExpectedHeaders,
  type InvalidRequest,
  rawRequestWith,
  withBody,
  withHeaders,
  withQuery,
} from './invalid-request.ts';

const allOperations = sampledOperations;
const operationsByName = new Map(operations.map((operation) => [operation.name, operation]));
const scopeOf = (name: string) => operationsByName.get(name)?.scope;
const operationsWithToken = allOperations.filter((name) => scopeOf(name) !== null);
const operationsWithScope = operationsWithToken.filter((name) => scopeOf(name) !== 'any');
const jsonOperations = allOperations.filter((name) => {
  return !Object.values(operationsByName.get(name)?.responses ?? {}).some((response) => response.bytes === true);
});

/** The methods of the operation's path, as `Allow` must list them. */
function allowHeaderOf(name: string): string {
  const methods = operations.filter(({ path }) => path === operationsByName.get(name)?.path).flatMap(operationMethods);
  return [...methods, 'OPTIONS'].join(', ');
}

const operationsWithoutBody = allOperations.filter((name) => {
  const { method, request, bodyBytes } = operationsByName.get(name) ?? {};
  return method === 'POST' && request?.body === undefined && bodyBytes === undefined;
});

/** Whether no path exists one segment below this operation. */
function hasNoChildPath(name: string): boolean {
  const below = `${operationsByName.get(name)?.path}/`;
  return !operations.some(({ path }) => path.startsWith(below) && /^\{\w+\}$/.test(path.slice(below.length)));
}

const closesConnection = { connection: 'close' };
const realm = 'Bearer realm="citizen-services", ';

const challenge = (operation: string): ExpectedHeaders => {
  const scope = scopeOf(operation);
  const named = scope === 'any' ? '' : `scope="${scope}", `;
  const rest = `${named}resource_metadata="http://127\\.0\\.0\\.1:\\d+/\\.well-known/oauth-protected-resource/v1"`;
  const dpop = `DPoP realm="citizen-services", algs="ES256 PS256 EdDSA Ed25519", ${rest}`;
  return { 'www-authenticate': new RegExp(`^${realm}${rest}, ${dpop}$`) };
};
const invalidTokenChallenge: ExpectedHeaders = {
  'www-authenticate': `${realm}error="invalid_token", error_description="The access token is not valid"`,
};

const tokens: readonly InvalidRequest[] = [
  {
    title: 'no token',
    operations: operationsWithToken,
    make: (good) => withHeaders(good, { authorization: undefined }),
    expected: [401, 'no-access-token'],
    expectedHeaders: challenge,
  },
  {
    title: 'another authentication scheme',
    operations: operationsWithToken,
    make: (good) => withHeaders(good, { authorization: 'Basic YTpi' }),
    expected: [401, 'no-access-token'],
    expectedHeaders: challenge,
  },
  {
    title: 'the token in the query',
    operations: operationsWithToken,
    make: (good, { token }) => withQuery(withHeaders(good, { authorization: undefined }), `access_token=${token}`),
    expected: [401, 'no-access-token'],
    expectedHeaders: challenge,
  },
  {
    title: 'the token in the query and in the header',
    operations: allOperations,
    make: (good, { token }) => withQuery(good, `access_token=${token}`),
    expected: [400, 'bad-request'],
    expectedIssues: ['query access_token unknown-input'],
  },
  {
    title: 'an invalid token',
    operations: operationsWithToken,
    make: (good) => withHeaders(good, { authorization: 'Bearer garbage' }),
    expected: [401, 'invalid-access-token'],
    expectedHeaders: invalidTokenChallenge,
  },
  {
    title: 'a token with another signature',
    operations: operationsWithToken,
    make: (good, { token }) => withHeaders(good, { authorization: `Bearer ${token.slice(0, -8)}AAAAAAAA` }),
    expected: [401, 'invalid-access-token'],
    expectedHeaders: invalidTokenChallenge,
  },
  {
    title: 'an expired token',
    operations: operationsWithToken,
    make: (good, { expiredToken }) => withHeaders(good, { authorization: `Bearer ${expiredToken}` }),
    expected: [401, 'expired-access-token'],
    expectedHeaders: {
      'www-authenticate': `${realm}error="invalid_token", error_description="The access token expired"`,
    },
  },
  {
    title: 'a token without the scope',
    operations: operationsWithScope,
    make: (good, { tokenWithoutScope }) => withHeaders(good, { authorization: `Bearer ${tokenWithoutScope}` }),
    expected: [403, 'missing-scope'],
    expectedHeaders: (operation) => ({
      'www-authenticate': `${realm}error="insufficient_scope", scope="${scopeOf(operation)}"`,
      ratelimit: /^"/,
    }),
  },
];

const paths: readonly InvalidRequest[] = [
  {
    title: 'a trailing slash',
    // The root of the interface is `/` in the OpenAPI document, and so in generated clients.
    operations: allOperations.filter((name) => operationsByName.get(name)?.path !== '/v1'),
    make: (good) => atPath(good, (path) => `${path}/`),
    expected: [404, 'not-found'],
  },
  {
    title: 'capital letters in the path',
    operations: allOperations,
    make: (good) => atPath(good, (path) => path.replace('/v1', '/V1')),
    expected: [404, 'not-found'],
  },
  {
    title: 'a path below its own',
    operations: allOperations.filter(hasNoChildPath),
    make: (good) => atPath(good, (path) => `${path}/more`),
    expected: [404, 'not-found'],
  },
  {
    title: 'bad percent-encoding in the path',
    operations: allOperations,
    make: (good) => atPath(good, (path) => `${path}%zz`),
    expected: [400, 'malformed-http'],
  },
  {
    title: 'an unsupported method',
    operations: allOperations,
    make: (good) => ({ ...good, method: 'PATCH' }),
    expected: [405, 'method-not-allowed'],
    expectedHeaders: (operation) => ({ allow: allowHeaderOf(operation) }),
  },
  {
    title: 'an unsupported method and an invalid media type',
    operations: allOperations,
    make: (good) =>
      withHeaders({ ...good, method: 'PUT', body: '{' }, { 'content-type': 'json', 'content-length': '1' }),
    expected: [405, 'method-not-allowed'],
    expectedHeaders: (operation) => ({ allow: allowHeaderOf(operation) }),
  },
  {
    title: 'an unknown method',
    operations: allOperations,
    make: (good) => rawRequestWith({ ...good, method: 'FOO' }, []),
    expected: [400, 'malformed-http'],
    expectedHeaders: closesConnection,
  },
  {
    title: 'TRACE',
    operations: allOperations,
    make: (good) => rawRequestWith({ ...good, method: 'TRACE', body: '' }, []),
    expected: [405, 'method-not-allowed'],
    expectedHeaders: { allow: /GET, HEAD, POST/, ...closesConnection },
  },
];

const queries: readonly InvalidRequest[] = [
  {
    title: 'an unknown query parameter',
    operations: allOperations,
    make: (good) => withQuery(good, 'colour=red'),
    expected: [400, 'bad-request'],
    expectedIssues: ['query colour unknown-input'],
  },
  {
    title: 'an unknown query parameter whose name may be personal data',
    operations: allOperations,
    make: (good) => withQuery(good, 'Zzyxwname%20M%C3%BCller=1'),
    expected: [400, 'bad-request'],
    expectedIssues: ['query … unknown-input'],
  },
  {
    title: 'bad percent-encoding in the query',
    operations: allOperations,
    make: (good) => withQuery(good, 'colour=%zz'),
    expected: [400, 'bad-request'],
    expectedIssues: ['query colour malformed'],
  },
  {
    title: 'half of a surrogate pair in the query',
    operations: allOperations,
    make: (good) => withQuery(good, 'colour=%ED%A0%80'),
    expected: [400, 'bad-request'],
    expectedIssues: ['query colour malformed'],
  },
  {
    title: 'a target of more than 8 KiB',
    operations: allOperations,
    make: (good) => withQuery(good, `colour=${'r'.repeat(8_192)}`),
    expected: [414, 'uri-too-long'],
    expectedHeaders: closesConnection,
  },
];

const headers: readonly InvalidRequest[] = [
  {
    title: 'an Accept header without a supported media type',
    operations: jsonOperations,
    make: (good) => withHeaders(good, { accept: 'text/html, image/*;q=0.5' }),
    expected: [406, 'not-acceptable'],
  },
  {
    title: 'an Accept header that excludes its media type',
    operations: jsonOperations,
    make: (good) => withHeaders(good, { accept: 'application/json;q=0' }),
    expected: [406, 'not-acceptable'],
  },
  {
    title: 'headers of more than 16 KiB',
    operations: allOperations,
    make: (good) => rawRequestWith(good, [`x-filler: ${'f'.repeat(16_384)}`]),
    expected: [431, 'headers-too-large'],
    expectedHeaders: closesConnection,
  },
  {
    title: 'two Host headers',
    operations: allOperations,
    make: (good) => rawRequestWith(good, ['host: 127.0.0.1']),
    expected: [400, 'malformed-http'],
    expectedHeaders: closesConnection,
  },
  {
    title: 'two Authorization headers',
    operations: operationsWithToken,
    make: (good, { token }) => rawRequestWith(good, [`authorization: Bearer ${token}`]),
    expected: [400, 'malformed-http'],
    expectedHeaders: closesConnection,
  },
  {
    title: 'two idempotency keys',
    operations: allOperations,
    make: (good) => rawRequestWith(good, ['idempotency-key: a', 'idempotency-key: b']),
    expected: [400, 'malformed-http'],
    expectedHeaders: closesConnection,
  },
  {
    title: 'an absolute request target',
    operations: allOperations,
    make: (good, { url }) => rawRequestWith({ ...good, path: `${url}${good.path}` }, []),
    expected: [400, 'malformed-http'],
    expectedHeaders: closesConnection,
  },
  {
    title: 'an unsupported Expect header',
    operations: allOperations,
    make: (good) => rawRequestWith(good, ['expect: 200-maybe']),
    expected: [417, 'expectation-failed'],
    expectedHeaders: closesConnection,
  },
];

const bodies: readonly InvalidRequest[] = [
  {
    title: 'a body that the operation does not accept',
    operations: operationsWithoutBody,
    make: (good) => withBody(good, '{"dryRun":true}'),
    expected: [400, 'bad-request'],
    expectedIssues: ['body  unknown-input'],
  },
];

/** Faults that every operation must refuse in the same way. */
export const invalidForAnyOperation: readonly InvalidRequest[] = [
  ...tokens,
  ...paths,
  ...queries,
  ...headers,
  ...bodies,
];
