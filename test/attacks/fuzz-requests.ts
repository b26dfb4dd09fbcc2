import { readFileSync } from 'node:fs';
import { openApiPath } from '../support/openapi-linters.ts';
import type { RandomSource } from '../support/random-source.ts';
import { sampledOperations, validRequest } from '../support/valid-requests.ts';
import { canary, hostileValue, type JsonSchema, type ValueSource, valueFor } from './fuzz-values.ts';

/** A request as it is sent. A header that occurs twice is sent twice. */
export type FuzzRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
};

/** The tokens and ids that the requests use. Ids of later responses can be added. */
export type FuzzContext = {
  readonly tokens: readonly [string, ...string[]];
  readonly ids: ReadonlyMap<string, string[]>;
};

type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
};
type Operation = {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly contents: Readonly<Record<string, JsonSchema>>;
};

type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>> };

/** The kinds of ids by the names of parameters and members. */
const idKinds: Readonly<Record<string, string>> = {
  eventId: 'evt',
  receipt: 'evt',
  templateId: 'tpl',
  attachments: 'doc',
  reminderOf: 'ntf',
  corrects: 'ntf',
};
const citizens = ['demo-mary', 'demo-layla', 'demo-joao', 'nobody', canary] as const;

/** Creates requests to the operations of the OpenAPI document: valid ones, invented ones, and mutations of both. */
export function createFuzzRequests(random: RandomSource, context: () => FuzzContext): () => FuzzRequest {
  // src/api/openapi/document.ts creates the document.
  const document = JSON.parse(readFileSync(openApiPath, 'utf8')) as Document;
  const resolve = resolverOf(document);
  const [first, ...others] = readOperations(document, resolve);
  if (first === undefined) throw new TypeError('expected operations in the OpenAPI document, received none');
  const idOf = (kind: string) => {
    const [newest, ...older] = (context().ids.get(kind) ?? []).slice(-30).reverse();
    return newest === undefined ? undefined : random.pick([newest, ...older]);
  };
  return () => {
    const operation = random.pick([first, ...others]);
    const idFor = (name: string) => {
      if (name === 'citizenId' || name === 'Citizen-Id') return random.pick(citizens);
      const kind = name === 'id' ? kindOfPath(operation.path) : idKinds[name];
      return kind !== undefined && random.chance(0.8) ? idOf(kind) : undefined;
    };
    const values = { random, resolve, idFor };
    const [usual, ...rare] = context().tokens;
    const token = random.chance(0.6) ? usual : random.pick([usual, ...rare]);
    const isSampled = sampledOperations.includes(operation.operationId) && random.chance(0.4);
    let request = isSampled ? sampleOf(operation, token, idOf) : inventedRequest(operation, values, token);
    for (let count = random.pick([0, 1, 1, 2, 4]); count > 0; count -= 1) request = mutate(request, random);
    return request;
  };
}

function resolverOf(document: unknown): (schema: JsonSchema) => JsonSchema {
  const resolve = (schema: JsonSchema): JsonSchema => {
    const reference = schema['$ref'];
    if (typeof reference !== 'string') return schema;
    let found: unknown = document;
    for (const name of reference.split('/').slice(1)) found = (found as Record<string, unknown> | undefined)?.[name];
    return resolve((found ?? {}) as JsonSchema);
  };
  return resolve;
}

function readOperations({ paths }: Document, resolve: (schema: JsonSchema) => JsonSchema): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([name, operation]) => {
      const { operationId, parameters = [], requestBody = {} } = operation as Record<string, never>;
      if (operationId === undefined) return [];
      const content = (resolve(requestBody)['content'] ?? {}) as Record<string, { readonly schema?: JsonSchema }>;
      const contents = Object.fromEntries(Object.entries(content).map(([type, { schema = {} }]) => [type, schema]));
      const listed = (parameters as JsonSchema[]).map((one) => resolve(one) as unknown as Parameter);
      const method = name === 'x-query' ? 'QUERY' : name.toUpperCase();
      return [{ operationId, method, path: path === '/' ? '/v1' : `/v1${path}`, parameters: listed, contents }];
    }),
  );
}

function kindOfPath(path: string): string | undefined {
  const kinds = {
    documents: 'doc',
    notifications: 'ntf',
    inbox: 'ntf',
    webhooks: 'whk',
    templates: 'tpl',
    receipts: 'evt',
  };
  return path.includes('/verifications/')
    ? 'ver'
    : Object.entries(kinds).find(([name]) => path.includes(`/${name}/`))?.[1];
}

function sampleOf(operation: Operation, token: string, idOf: (kind: string) => string | undefined): FuzzRequest {
  const id = (kind: string) => idOf(kind) ?? `${kind}_01M7WKVMFEE008WANFAS9XRDZX`;
  const ids = {
    verification: id('ver'),
    notification: id('ntf'),
    document: id('doc'),
    event: id('evt'),
    webhook: id('whk'),
    template: id('tpl'),
    batch: id('bat'),
    presentation: id('prs'),
  };
  const { method = 'GET', path, headers = {}, body = '' } = validRequest(operation.operationId, { token, ids });
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    name === 'content-length' ? [] : [[name, String(value)]],
  );
  return { method, path, headers: pairs, body: Buffer.from(body) };
}

/** A request made from the schemas of the operation. */
function inventedRequest(operation: Operation, values: ValueSource, token: string): FuzzRequest {
  const { random } = values;
  const { method, parameters, contents } = operation;
  let path = operation.path;
  const query = new URLSearchParams();
  const headers: [string, string][] = [['authorization', `Bearer ${token}`]];
  for (const { name, in: place, required = false, schema } of parameters) {
    if (!required && random.chance(0.75)) continue;
    const value = valueFor(values, name, schema);
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(text));
    else if (place === 'query') query.append(name, text);
    else if (place === 'header') headers.push([name.toLowerCase(), encodeURIComponent(text.slice(0, 3_000))]);
  }
  const search = query.size === 0 ? '' : `?${query}`;
  const [type, ...otherTypes] = Object.keys(contents);
  if (type === undefined) return { method, path: path + search, headers, body: Buffer.alloc(0) };
  const [mediaType, body] = inventedBody(random.pick([type, ...otherTypes]), contents, values);
  const typed = headers.some(([name]) => name === 'content-type') ? [] : [['content-type', mediaType] as const];
  return { method, path: path + search, headers: [...headers, ...typed], body };
}

function inventedBody(
  type: string,
  contents: Operation['contents'],
  values: ValueSource,
): [mediaType: string, body: Buffer] {
  const { random } = values;
  if (/json$/.test(type)) return [type, Buffer.from(JSON.stringify(valueFor(values, '', contents[type] ?? {})))];
  if (type === 'multipart/form-data') {
    const fields = Object.entries({ citizenId: 'demo-mary', title: canary });
    const parts = fields.map(
      ([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const head = 'content-disposition: form-data; name="document"; filename="a.txt"\r\ncontent-type: text/plain';
    return [`${type}; boundary=x`, Buffer.from(`${parts.join('')}--x\r\n${head}\r\n\r\n${canary}\r\n--x--\r\n`)];
  }
  const start = random.pick(['%PDF-1.7\n', '\ufeff%PDF-1.7\n', 'PK\x03\x04', '', canary]);
  const media = random.pick([
    'application/pdf',
    'application/pdf; name="a;b"',
    'text/plain',
    'text/csv;header=x',
    'image/png',
  ]);
  return [media, Buffer.from(start + canary.repeat(random.below(300)))];
}

type Mutation = (request: FuzzRequest, random: RandomSource) => FuzzRequest;

const withHeader = (request: FuzzRequest, name: string, value: string): FuzzRequest => ({
  ...request,
  headers: [...request.headers.filter(([known]) => known !== name), [name, value]],
});

type HeaderPair = readonly [name: string, value: string];

const headerChanges: readonly [HeaderPair, ...HeaderPair[]] = [
  ['authorization', ''],
  ['authorization', 'Bearer x'],
  ['authorization', `DPoP ${canary}`],
  ['authorization', `Basic ${Buffer.from(canary).toString('base64')}`],
  ['authorization', `Bearer eyJhbGciOiJub25lIn0.${Buffer.from(`{"sub":"${canary}"}`).toString('base64url')}.`],
  ['content-type', 'application/json; charset=utf-16'],
  ['content-type', 'text/plain'],
  ['content-type', ';'],
  ['content-type', 'multipart/form-data'],
  ['content-type', 'application/x-www-form-urlencoded'],
  ['content-encoding', 'gzip'],
  ['accept', 'application/xml'],
  ['accept', 'text/html'],
  ['accept', '*/*;q=0'],
  ['accept', `${'a/b,'.repeat(400)}*/*`],
  ['accept-language', 'xx-invalid-very-long;q=9'],
  ['idempotency-key', canary],
  ['idempotency-key', 'k'.repeat(300)],
  ['idempotency-key', ''],
  ['range', 'bytes=0-0,2-1'],
  ['range', 'bytes=-1'],
  ['if-none-match', '*'],
  ['if-match', '"x"'],
  ['if-range', canary],
  ['repr-digest', 'sha-256=:AAAA:'],
  ['document-title', '%E0%A4'],
  ['citizen-id', '%00'],
  ['dpop', canary],
  ['prefer', 'return=minimal'],
  ['expect', '100-continue'],
  ['traceparent', '00-zz'],
  ['cookie', `citizen-session=${canary}`],
  ['access-log-hidden-until', 'x'],
  ['access-log-hidden-reason', canary],
  ['x-http-method-override', 'DELETE'],
  ['x-forwarded-for', '127.0.0.1, evil'],
];

const mutations: readonly [Mutation, ...Mutation[]] = [
  (request, random) => withHeader(request, ...random.pick(headerChanges)),
  (request, random) => ({
    ...request,
    method: random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'QUERY']),
  }),
  (request, random) => {
    const value = hostileValue(random);
    const name = random.pick([
      'citizenId',
      'limit',
      'cursor',
      'after',
      'before',
      'status',
      'channel',
      'x',
      '__proto__',
      'id',
    ]);
    const text = encodeURIComponent(toWellFormed(typeof value === 'object' ? 'x' : String(value)).slice(0, 5_000));
    return { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${name}=${text}` };
  },
  (request, random) => {
    const [path = '', ...search] = request.path.split('?');
    const endings = ['/', '//', '/x', '/%2e%2e', '%00', '%zz', ';x=1', '.json', '%2F', `/${canary}`] as const;
    return { ...request, path: [`${path}${random.pick(endings)}`, ...search].join('?') };
  },
  mutateJson,
  mutateJson,
  mutateBytes,
];

function mutate(request: FuzzRequest, random: RandomSource): FuzzRequest {
  return random.pick(mutations)(request, random);
}

/** Encoding half of a surrogate pair throws. */
const toWellFormed = (text: string) => text.replaceAll(/\p{Cs}/gu, '\ufffd');

function mutateJson(request: FuzzRequest, random: RandomSource): FuzzRequest {
  let json: unknown;
  try {
    json = JSON.parse(request.body.toString('utf8'));
  } catch {
    return { ...request, body: Buffer.from(JSON.stringify(hostileValue(random))) };
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return request;
  const members: Record<string, unknown> = { ...json };
  const [first = 'x', ...others] = Object.keys(members);
  const name = random.chance(0.15)
    ? random.pick(['x', 'constructor', 'citizen_id', 'dryRun'])
    : random.pick([first, ...others]);
  if (random.chance(0.2)) delete members[name];
  else members[name] = hostileValue(random);
  const text = JSON.stringify(members);
  const twice = random.chance(0.05) ? text.replace(/\}$/, `,"${name}":1}`) : text;
  return {
    ...request,
    body: Buffer.from(random.chance(0.03) ? `${twice}${random.pick(['}', '\0', ' {}', ','])}` : twice),
  };
}

function mutateBytes(request: FuzzRequest, random: RandomSource): FuzzRequest {
  const body = Buffer.from(request.body);
  const at = random.below(Math.max(1, body.length));
  switch (random.below(5)) {
    case 0:
      return { ...request, body: body.subarray(0, at) };
    case 1:
      body[at] = random.below(256);
      return { ...request, body };
    case 2:
      return { ...request, body: Buffer.concat([body, Buffer.from([0xff, 0xfe, 0])]) };
    case 3:
      return { ...request, body: Buffer.concat([Buffer.from('\ufeff'), body]) };
    default:
      return { ...request, body: Buffer.alloc(random.pick([0, 65_537, 200_000]), ' ') };
  }
}
