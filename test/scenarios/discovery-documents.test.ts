import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { decodeJwt } from 'jose';
import { operations } from '../../src/app/operations.ts';
import { apiVersion } from '../../src/config/version.ts';
import { createHttpClient, type HttpResponse, parseJsonBody } from '../support/http-client.ts';
import { runOpenApiLinter } from '../support/openapi-linters.ts';
import { resolveReferences } from '../support/resolve-references.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';

let home: ServerFixture;
let ask: ReturnType<typeof createHttpClient>;
const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile, { settings: { DOCUMENT_LIMIT_MIB: '3' } });
  await home.start('demo');
  ask = createHttpClient(home.url);
});

const documents = [
  ['/v1/openapi.json', 'application/json; charset=utf-8'],
  ['/v1/openapi.yaml', 'application/yaml'],
  ['/openapi-3.0.json', 'application/json; charset=utf-8'],
  ['/.well-known/api-catalog', 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'],
  ['/.well-known/oauth-protected-resource/v1', 'application/json; charset=utf-8'],
  ['/.well-known/security.txt', 'text/plain; charset=utf-8'],
] as const;

for (const [path, type] of documents) {
  test(`${path} needs no token, can be read from any origin, supports HEAD like GET, and refuses other methods`, async () => {
    const got = await ask({ path, headers: { origin: 'https://elsewhere.example' } });
    assert.deepEqual(
      [got.status, got.headers['content-type'], got.headers['access-control-allow-origin'], got.headers['api-version']],
      [200, type, '*', apiVersion],
    );
    const head = await ask({ method: 'HEAD', path });
    assert.deepEqual([head.status, head.body.length], [200, 0]);
    assert.deepEqual(lasting(head), lasting(got));
    const posted = await ask({ method: 'POST', path, body: 'x' });
    assert.deepEqual([posted.status, posted.headers.allow], [405, 'GET, HEAD, OPTIONS']);
    const options = await ask({ method: 'OPTIONS', path });
    assert.deepEqual([options.status, options.headers.allow], [204, 'GET, HEAD, OPTIONS']);
  });
}

for (const [path, type] of documents.filter(([one]) => one !== '/.well-known/security.txt')) {
  test(`[R23] ${path} is not sent again to a client that has its current version`, async () => {
    const { headers } = await ask({ path });
    const { etag = '' } = headers;
    assert.match(etag, /^"[\w-]{20,}"$/);
    for (const method of ['GET', 'HEAD']) {
      const same = await ask({ method, path, headers: { 'if-none-match': `"x", W/${etag}` } });
      assert.deepEqual([same.status, same.body.length, same.headers['content-type']], [304, 0, undefined]);
      assert.deepEqual([same.headers.etag, same.headers['cache-control']], [etag, headers['cache-control']]);
    }
    const other = await ask({ path, headers: { 'if-none-match': '"x"' } });
    assert.deepEqual([other.status, other.headers['content-type']], [200, type]);
  });
}

/** The headers without those that differ in each response. */
function lasting({ headers }: HttpResponse): HttpResponse['headers'] {
  const { date, 'request-id': id, ...rest } = headers;
  assert.ok(date !== undefined && id !== undefined);
  return rest;
}

test('the YAML form of the OpenAPI document has the content of its JSON form', async () => {
  const folder = makeTestFolder('cs-yaml-');
  const [yaml, bundled] = [join(folder, 'openapi.yaml'), join(folder, 'openapi.json')];
  writeFileSync(yaml, (await ask({ path: '/v1/openapi.yaml' })).body);
  const { code, stderr } = await runOpenApiLinter('redocly', 'bundle', yaml, '-o', bundled);
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(readFileSync(bundled, 'utf8')), parseJsonBody(await ask({ path: '/v1/openapi.json' })));
});

test('the OpenAPI document has the contact, the version of every response, and the server URL', async () => {
  const { info, servers } = parseJsonBody(await ask({ path: '/v1/openapi.json' })) as {
    readonly info: Readonly<Record<string, unknown>>;
    readonly servers: readonly { readonly url: string }[];
  };
  assert.deepEqual(info['contact'], {
    name: 'The operator of this installation',
    url: `${home.url}/docs`,
    email: 'api-support@example.gov',
  });
  assert.equal(info['version'], apiVersion);
  assert.deepEqual(
    servers.map(({ url }) => url),
    [`${home.url}/v1`],
  );
});

test('every link of the API catalog leads to a document, and the catalog links to itself', async () => {
  const answer = await ask({ method: 'HEAD', path: '/.well-known/api-catalog' });
  assert.equal(answer.headers.link, '</.well-known/api-catalog>; rel="api-catalog"');
  const { linkset } = parseJsonBody(await ask({ path: '/.well-known/api-catalog' })) as {
    readonly linkset: readonly [Readonly<Record<string, readonly { readonly href: string; readonly type: string }[]>>];
  };
  const { anchor, ...relations } = linkset[0];
  assert.equal(anchor, `${home.url}/v1`);
  assert.deepEqual(Object.keys(relations), ['service-desc', 'service-meta', 'service-doc', 'status']);
  for (const { href } of Object.values(relations).flat()) {
    assert.equal((await ask({ path: href.replace(home.url, '') })).status, 200, href);
  }
});

test('the authorization server in the resource metadata issues the tokens and publishes its keys at its jwks_uri', async () => {
  const resource = parseJsonBody(await ask({ path: '/.well-known/oauth-protected-resource/v1' }));
  assert.equal(resource['resource'], `${home.url}/v1`);
  assert.deepEqual(resource['bearer_methods_supported'], ['header']);
  const server = parseJsonBody(await ask({ path: '/.well-known/oauth-authorization-server' }));
  const { iss, aud } = decodeJwt(await home.fetchAccessToken());
  // The demo has a second issuer, at which its citizens sign in.
  const issuers = [home.url, `${home.url}/demo/sign-in`];
  assert.deepEqual([resource['authorization_servers'], server['issuer'], iss], [issuers, home.url, home.url]);
  assert.equal(aud, resource['resource']);
  const { keys } = parseJsonBody(await ask({ path: String(server['jwks_uri']).replace(home.url, '') }));
  assert.ok(Array.isArray(keys) && keys.length > 0);
});

test('security.txt has a contact and expires within a year', async () => {
  const text = String((await ask({ path: '/.well-known/security.txt' })).body);
  assert.match(text, /^Contact: mailto:security@example\.gov\nExpires: \d{4}-\d\d-\d\dT00:00:00Z\nCanonical: http/);
  const expires = Date.parse(/Expires: (.*)/.exec(text)?.[1] ?? '');
  assert.ok(expires > Date.now() && expires < Date.now() + 366 * 86_400_000);
});

test('the register and the OpenAPI document list the same operations', async () => {
  const { paths } = parseJsonBody(await ask({ path: '/v1/openapi.json' })) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
  };
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId }]) => `${operationId} ${method.replace('x-', '').toUpperCase()} /v1${path}`,
    ),
  );
  const { endpoints } = parseJsonBody(await ask({ path: '/v1' })) as {
    readonly endpoints: readonly Record<string, string>[];
  };
  const registered = endpoints.map(({ name, method, path }) => `${name} ${method} ${path}`);
  assert.deepEqual(documented.map((line) => line.replace(/\/v1\/$/, '/v1')).sort(), [...registered].sort());
  assert.equal(registered.length, operations.length);
});

test('the OpenAPI document states the size limit of a deposit', async () => {
  const { paths } = resolveReferences(parseJsonBody(await ask({ path: '/v1/openapi.json' }))) as Deposits;
  const { 'multipart/form-data': form, ...whole } = paths['/documents'].post.requestBody.content;
  const limits = [form.schema.properties['document'], ...Object.values(whole).map(({ schema }) => schema)];
  const text = 'The bytes of the document. The maximum is 3145728 bytes.';
  assert.deepEqual(
    limits.map((schema) => schema?.description?.slice(0, text.length)),
    [text, text, text],
  );
});

test('a deposit built from the OpenAPI document is accepted: as bytes, and as the form', async () => {
  const { paths } = parseJsonBody(await ask({ path: '/v1/openapi.json' })) as Deposits;
  const { content } = paths['/documents'].post.requestBody;
  const authorization = `Bearer ${await home.fetchAccessToken()}`;
  const send = (headers: Record<string, string>, body: string | FormData) =>
    fetch(`${home.url}/v1/documents`, { method: 'POST', headers: { authorization, ...headers }, body });
  const [, type = ''] = Object.keys(content);
  const bytes = String(content[type]?.example);
  const { document, ...fields } = content['multipart/form-data'].example;
  const { citizenId, title } = fields;
  const plain = {
    'content-type': type,
    'citizen-id': String(citizenId),
    'document-title': encodeURIComponent(String(title)),
  };
  assert.equal((await send(plain, bytes)).status, 201);
  assert.equal(document, '@document.pdf');
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  form.set('document', new Blob([bytes], { type }), 'document.pdf');
  assert.equal((await send({}, form)).status, 201);
});

type Bytes = { readonly description: string };
type Form = {
  readonly example: Readonly<Record<string, unknown>>;
  readonly schema: { readonly properties: Readonly<Record<string, Bytes>> };
};
type Content = Readonly<Record<string, { readonly schema: Bytes; readonly example: unknown }>> & {
  readonly 'multipart/form-data': Form;
};
type Deposits = {
  readonly paths: { readonly '/documents': { readonly post: { readonly requestBody: { readonly content: Content } } } };
};

const bytesOf = async (path: string, headers: Record<string, string>) => {
  const { status, headers: sent, body } = await ask({ path, headers });
  return { status, body, etag: String(sent.etag), vary: sent.vary, coding: sent['content-encoding'] };
};

test('the OpenAPI documents are served compressed, each form with its own ETag', async () => {
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync } as const;
  for (const path of ['/openapi.json', '/v1/openapi.yaml', '/openapi-3.0.json', '/v1/openapi-3.0.json']) {
    const plain = await bytesOf(path, {});
    assert.deepEqual([plain.coding, plain.vary], [undefined, 'accept-encoding']);
    for (const coding of ['br', 'gzip'] as const) {
      const form = await bytesOf(path, { 'accept-encoding': coding });
      assert.deepEqual([form.status, form.coding, form.vary], [200, coding, 'accept-encoding']);
      assert.ok(decoders[coding](form.body).equals(plain.body), `${path} ${coding}`);
      assert.ok(form.body.length * 8 < plain.body.length, `${form.body.length} of ${plain.body.length}`);
      assert.notEqual(form.etag, plain.etag);
      const again = await bytesOf(path, { 'accept-encoding': coding, 'if-none-match': form.etag });
      assert.deepEqual([again.status, again.etag, again.body.length], [304, form.etag, 0]);
      assert.equal((await bytesOf(path, { 'accept-encoding': coding, 'if-none-match': plain.etag })).status, 200);
    }
  }
});

test('the OpenAPI 3.0 document has the operations and schemas of 3.1, and Redocly reports no error in it', async () => {
  const [new31, old30] = [
    parseJsonBody(await ask({ path: '/openapi.json' })),
    parseJsonBody(await ask({ path: '/openapi-3.0.json' })),
  ] as [Described, Described];
  assert.equal(old30.openapi, '3.0.3');
  assert.deepEqual(Object.keys(old30.paths), Object.keys(new31.paths));
  assert.deepEqual(Object.keys(old30.components.schemas), Object.keys(new31.components.schemas));
  const text = JSON.stringify(old30);
  assert.doesNotMatch(text, /"type":\[|"const":|"propertyNames":|"type":"null"/);
  const file = join(makeTestFolder('cs-openapi-30-'), 'openapi-3.0.json');
  writeFileSync(file, text);
  const { code, stdout, stderr } = await runOpenApiLinter('redocly', 'lint', '--extends=recommended', file);
  assert.equal(code, 0, `${stdout}${stderr}`);
});

type Described = {
  readonly openapi: string;
  readonly paths: object;
  readonly components: { readonly schemas: object };
};

test('the description of the tokens names every method of the metadata of the token endpoint', async () => {
  const { components } = parseJsonBody(await ask({ path: '/openapi.json' })) as {
    readonly components: { readonly securitySchemes: { readonly accessToken: { readonly description: string } } };
  };
  const { token_endpoint_auth_methods_supported: methods } = parseJsonBody(
    await ask({ path: '/.well-known/oauth-authorization-server' }),
  );
  assert.ok(Array.isArray(methods) && methods.length === 5);
  const { description } = components.securitySchemes.accessToken;
  for (const method of methods) assert.ok(description.includes(String(method)), String(method));
});
