import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import fc, { type Arbitrary } from 'fast-check';
import { Compile } from 'typebox/schema';
import { addCitizenClient, startExternalIssuer } from '../support/external-issuer.ts';
import {
  bearerHeaders,
  createHttpClient,
  type HttpRequest,
  type HttpResponse,
  parseJsonBody,
} from '../support/http-client.ts';
import { openApiPath } from '../support/openapi-linters.ts';
import { createResponseCheck } from '../support/openapi-response-check.ts';
import { resolveReferences } from '../support/resolve-references.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { markers, validDocument } from '../support/valid-requests.ts';

/** A JSON Schema of the OpenAPI document. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** The part of a request that holds a value. It limits the value: a header allows no line break, a query no nested list. */
type ValuePosition = 'body' | 'query' | 'path' | 'header';

const maxGeneratedLength = 60;

/** Values that match this schema. Members with a known name sometimes get a value that exists in the demo. */
function validValue(schema: JsonSchema, position: ValuePosition, name = ''): Arbitrary<unknown> {
  const choices = asArray(schema['enum']);
  if (choices.length > 0) return fc.constantFrom(...choices);
  const types = asArray(schema['type']).length > 0 ? asArray(schema['type']) : [schema['type']];
  return fc.oneof(...types.map((type) => valueOfType(String(type), schema, { position, name })));
}

function valueOfType(
  type: string,
  schema: JsonSchema,
  { position, name }: { position: ValuePosition; name: string },
): Arbitrary<unknown> {
  switch (type) {
    case 'object':
      return objectValue(schema, position);
    case 'array':
      return arrayValue(schema, position, name);
    case 'integer':
      return fc.integer({
        min: numberKeyword(schema, 'minimum', 0),
        max: Math.min(numberKeyword(schema, 'maximum', 1_000), 2 ** 31 - 1),
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return stringValue(schema, position, name);
  }
}

function objectValue(schema: JsonSchema, position: ValuePosition): Arbitrary<unknown> {
  const members = Object.entries(asSchema(schema['properties']));
  if (typeof schema['additionalProperties'] === 'object') {
    const name = fc.stringMatching(new RegExp(String(asSchema(schema['propertyNames'])['pattern'])));
    return fc.dictionary(name, validValue(asSchema(schema['additionalProperties']), position), { maxKeys: 3 });
  }
  const requiredKeys = asArray(schema['required']).map(String);
  const model = Object.fromEntries(
    members.map(([name, member]) => [name, validValue(asSchema(member), position, name)]),
  );
  return fc.record(model, { requiredKeys });
}

function arrayValue(schema: JsonSchema, position: ValuePosition, name: string): Arbitrary<unknown> {
  const bounds = {
    minLength: numberKeyword(schema, 'minItems', 0),
    maxLength: Math.min(numberKeyword(schema, 'maxItems', 5), 5),
  };
  const item = validValue(asSchema(schema['items']), position, name);
  return schema['uniqueItems'] === true ? fc.uniqueArray(item, bounds) : fc.array(item, bounds);
}

const knownValues: Readonly<Record<string, Arbitrary<string>>> = {
  citizenId: fc.constantFrom('demo-mary', 'demo-layla', 'demo-anh'),
  url: fc.constantFrom('http://127.0.0.1:1/calls', 'https://127.0.0.1:1/', 'http://[::1]:1/x?y=z'),
};

function stringValue(schema: JsonSchema, position: ValuePosition, name: string): Arbitrary<string> {
  const [min, max] = [
    numberKeyword(schema, 'minLength', 0),
    Math.min(numberKeyword(schema, 'maxLength', maxGeneratedLength), maxGeneratedLength),
  ];
  const known = knownValues[name];
  const any = schema['format'] === 'date-time' ? instant : patternString(schema, position, { min, max });
  return known === undefined ? any : fc.oneof(known, any);
}

const instant = fc
  .date({ min: new Date('2020-01-01T00:00:00Z'), max: new Date('2030-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

const anything = '^[^\\u0000]*$';

function patternString(
  schema: JsonSchema,
  position: ValuePosition,
  { min, max }: { min: number; max: number },
): Arbitrary<string> {
  const pattern = new RegExp(String(schema['pattern'] ?? anything), 'u');
  const minLength = position === 'path' ? Math.max(1, min) : min;
  const unit = position === 'header' ? ('grapheme-ascii' as const) : ('grapheme' as const);
  const plain = fc.string({ unit, minLength, maxLength: max });
  // An arbitrary text finds more faults than a text that is generated from a pattern that allows any text.
  const made = pattern.source === anything ? plain : fc.oneof(fc.stringMatching(pattern), plain);
  return made.filter((value) => {
    const { length } = [...value];
    const writable = position !== 'header' || (/^[ -~]*$/.test(value) && value.trim() === value && value !== '');
    return pattern.test(value) && length >= minLength && length <= max && writable;
  });
}

/** The values as in a URL, where a number is a string of digits. */
function asReadFromUrl(
  schema: JsonSchema,
  value: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const members = asSchema(schema['properties']);
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => {
      const isNumber = asSchema(members[name])['type'] === 'integer' && /^-?\d{1,15}$/.test(String(text));
      return [name, isNumber ? Number(text) : text];
    }),
  );
}

/** Changes of a valid value that usually make it invalid. The caller has to check the result against the schema. */
function mostlyInvalidValue(
  schema: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  position: ValuePosition,
): Arbitrary<unknown> {
  const members = Object.entries(asSchema(schema['properties']));
  const without = asArray(schema['required'])
    .map(String)
    .map((removed) => fc.constant(Object.fromEntries(Object.entries(value).filter(([name]) => name !== removed))));
  const unknown = fc.stringMatching(/^[a-z]{12,16}$/).map((name) => ({ ...value, [name]: 'x' }));
  const wrong = members.map(([name, member]) =>
    invalidMember(asSchema(member), position).map((bad) => ({ ...value, [name]: bad })),
  );
  // A path without one of its parameters is another path, and the server ignores unknown headers.
  return fc.oneof(
    ...(position === 'path' ? [] : without),
    ...(position === 'body' || position === 'query' ? [unknown] : []),
    ...wrong,
  );
}

function invalidMember(schema: JsonSchema, position: ValuePosition): Arbitrary<unknown> {
  const tooLong =
    numberKeyword(schema, 'maxLength', maxGeneratedLength) < 3_000
      ? ['m'.repeat(numberKeyword(schema, 'maxLength', maxGeneratedLength) + 1)]
      : [];
  const written = [
    'x'.repeat(40),
    '%',
    '-1',
    '0',
    '99999999999999',
    ...tooLong,
    ...(position === 'header' ? [] : ['', '\u0000', ' ']),
  ];
  const others = position === 'body' ? [null, 4711, -1.5, true, [], [[]], {}, { a: 1 }, '\ud800'] : [];
  return fc.constantFrom<unknown>(...written, ...others);
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asSchema(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : {};
}

function numberKeyword(schema: JsonSchema, name: string, otherwise: number): number {
  const value = schema[name];
  return typeof value === 'number' ? value : otherwise;
}

type Parameter = {
  readonly name: string;
  readonly in: ValuePosition;
  readonly required: boolean;
  readonly schema: JsonSchema;
};
type Described = {
  readonly operationId: string;
  readonly security: readonly { readonly accessToken?: readonly string[] }[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
};
type Operation = Described & { readonly method: string; readonly path: string };
type Parts = Partial<Record<ValuePosition, Readonly<Record<string, unknown>>>>;

const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const runs = Number(process.env['FUZZ_RUNS'] ?? 15);
const places = ['path', 'query', 'header', 'body'] as const;

/** Constraints that a schema cannot state. Requests that violate them may be 400 although the schema accepts them. */
const beyondTheSchema: Readonly<Record<string, string>> = {
  verifyIdentity: 'the claims have to reach the minimum of the policy; a claim may be given under one of its names',
  verifyIdentityQuery: 'as verifyIdentity',
  verifyIdentityByQuery: 'as verifyIdentity',
  askPresentation:
    'the credentials are those of the operator, the return address is an https URL, the claims reach the minimum',
  sendNotification:
    'instants lie ahead, templates fit their values, there is a text or a template, attachments are documents of the citizen',
  previewNotification: 'as sendNotification',
  sendServiceNotification: 'as sendNotification',
  previewServiceNotification: 'as sendNotification',
  listNotifications: 'cursors are those of an earlier answer, instants are on the calendar',
  createNotificationBatch: 'instants lie ahead, the template is one of the client, the legal effect is a rule',
  listNotificationBatches: 'the cursor is that of an earlier answer',
  createServiceBatch: 'as createNotificationBatch',
  listServiceBatches: 'as listNotificationBatches',
  readEvents: 'the cursor is that of an earlier answer',
  lookUpCitizen: 'exactly one way names the citizen',
  proposeOperation: 'the input fits the operation',
  readStaffLog: 'instants are on the calendar',
  listInboxMessages: 'before is that of an earlier answer',
  searchInbox: 'the cursor is that of an earlier answer',
  exportInbox: 'the cursor is that of an earlier answer',
  listDocuments: 'a purpose is percent-encoded',
  retrieveDocument: 'a purpose is percent-encoded',
  readDocumentRecord: 'a purpose is percent-encoded',
  depositDocument: 'texts in headers are percent-encoded; the bytes fit what is said of them',
  grantDocument: 'a purpose is one line, an end lies ahead',
  createWebhook: 'a target is a URL',
  createTemplate: 'languages are known tags, each once; all texts have the same placeholders',
  createServiceTemplate: 'as createTemplate',
  statePreferences: 'a channel is not both wished and declined; hours end after they begin, in a zone that there is',
  askContactCode: 'an address has the form of its channel, which has a provider',
};

const document = resolveReferences(JSON.parse(readFileSync(openApiPath, 'utf8'))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
};
const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({
    ...described,
    path,
    method: method.replace('x-', '').toUpperCase(),
  })),
);

let home: ServerFixture;
let token = '';
let citizensToken = '';
let staffToken = '';
let ask: ReturnType<typeof createHttpClient>;
const thisFile = fileCleanupScope();
const judge = createResponseCheck();
before(async () => {
  const issuer = await startExternalIssuer(thisFile);
  const staffIssuer = await startExternalIssuer(thisFile);
  const staffSettings = { STAFF_ISSUER: staffIssuer.url, STAFF_CLIENT_ID: 'staff', STAFF_CLIENT_SECRET: 'secret' };
  home = await makeServerFixture(thisFile, {
    settings: { LOG_LEVEL: 'warn', TRUSTED_ISSUERS: issuer.url, ...staffSettings },
  });
  await (await home.start('demo')).stop('SIGTERM');
  const clientId = await addCitizenClient(home, issuer);
  await home.start('demo');
  ask = createHttpClient(home.url);
  token = await home.fetchAccessToken();
  const claims = { client_id: clientId, sub: 'mary', scope: 'citizen:self', citizen_id: 'demo-mary' };
  const person = {
    client_id: 'staff',
    sub: 'sam',
    client: home.readDemoFile().clients[0]?.clientId,
    roles: ['support', 'caseworker', 'approver', 'operator', 'auditor'],
  };
  staffToken = await staffIssuer.sign({ ...person, aud: `${home.url}/v1` });
  citizensToken = await issuer.sign({ ...claims, aud: `${home.url}/v1` });
});

/** One schema for each part of a request. The concealment headers are left out. */
function schemasOf({ parameters, requestBody }: Operation): Partial<Record<ValuePosition, JsonSchema>> {
  const schemas: Partial<Record<ValuePosition, JsonSchema>> = {};
  for (const place of ['path', 'query', 'header'] as const) {
    const own = parameters.filter(({ in: at, name }) => at === place && !/^Access-Log|^Idempotency/.test(name));
    if (own.length === 0) continue;
    schemas[place] = {
      type: 'object',
      properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])),
      required: own.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: place === 'header',
    };
  }
  const body = requestBody?.content['application/json']?.schema;
  return body === undefined ? schemas : { ...schemas, body };
}

function requestOf({ method, path, requestBody, security }: Operation, parts: Parts): HttpRequest {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(String(parts.path?.[name])));
  const query = Object.entries(parts.query ?? {}).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  );
  const given = Object.entries(parts.header ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]);
  const isCitizens = security.some(({ accessToken = [] }) => accessToken.includes('citizen:self'));
  const isOfStaff = security.some((scheme) => 'staffToken' in scheme);
  const bearer = isOfStaff ? staffToken : isCitizens ? citizensToken : token;
  const headers = bearerHeaders(bearer, Object.fromEntries(given));
  const asked = { method, path: `/v1${filled === '/' ? '' : filled}${query.length > 0 ? `?${query.join('&')}` : ''}` };
  if (requestBody === undefined) return { ...asked, headers };
  const bytes = 'application/json' in requestBody.content ? JSON.stringify(parts.body) : validDocument;
  const type = typeof bytes === 'string' ? 'application/json' : 'application/pdf';
  return {
    ...asked,
    headers: { ...headers, 'content-type': type, 'content-length': Buffer.byteLength(bytes) },
    body: bytes,
  };
}

/** The response. Fails for an undeclared response or a server error. */
async function answerTo(operation: Operation, parts: Parts): Promise<HttpResponse> {
  const asked = requestOf(operation, parts);
  const answer = await ask(asked);
  const [path = ''] = asked.path.split('?');
  const left = { method: operation.method, path, status: answer.status, headers: answer.headers, body: answer.body };
  assert.deepEqual(judge(left), { operation: operation.operationId, problems: [] }, `${answer.status} ${answer.body}`);
  assert.ok(answer.status < 500, String(answer.body));
  return answer;
}

const check = { seed, numRuns: runs, endOnFailure: true };
process.stdout.write(`requests are drawn with FUZZ_SEED=${seed}\n`);

for (const operation of operations) {
  const name = operation.operationId;
  const schemas = schemasOf(operation);
  const used = places.filter((place) => schemas[place] !== undefined);
  const schemaAt = (place: ValuePosition): JsonSchema => schemas[place] ?? {};
  const model = Object.fromEntries(used.map((place) => [place, validValue(schemaAt(place), place)]));
  // Each member of the record has an object schema.
  const good = fc.record(model) as Arbitrary<Parts>;

  test(`every request of ${name} that the document accepts is well formed for the server`, async () => {
    const property = fc.asyncProperty(good, async (parts) => {
      const answer = await answerTo(operation, parts);
      if (name in beyondTheSchema) return;
      assert.notEqual(answer.status, 400, String(answer.body));
    });
    await fc.assert(property, check);
  });

  if (used.length === 0) continue;
  test(`every request of ${name} that the document rejects is refused, and each issue has its location`, async () => {
    const breakPart = (parts: Parts) =>
      fc.constantFrom(...used).chain((place) =>
        mostlyInvalidValue(schemaAt(place), parts[place] ?? {}, place).map((bad) => ({
          place,
          parts: { ...parts, [place]: bad },
        })),
      );
    const checks = new Map(used.map((place) => [place, Compile(schemaAt(place))]));
    const isTaken = ({ place, parts }: { place: ValuePosition; parts: Parts }) => {
      const given = parts[place] ?? {};
      return checks.get(place)?.Check(place === 'query' ? asReadFromUrl(schemaAt(place), given) : given);
    };
    // A URL parser removes such segments, so the request has the path of another operation.
    const isSegment = (value: unknown) => !['', '.', '..'].includes(String(value));
    const bad = good
      .chain(breakPart)
      .filter((broken) => isTaken(broken) === false && Object.values(broken.parts.path ?? {}).every(isSegment));
    const property = fc.asyncProperty(bad, async ({ place, parts }) => {
      const { status, body } = await answerTo(operation, parts);
      if (place === 'path' && status === 404) return;
      const { type, issues } = parseJsonBody({ body });
      assert.deepEqual([status, String(type).split('/').at(-1)], [400, 'bad-request'], `${place}: ${body}`);
      assert.ok(Array.isArray(issues) && issues.some((issue: { in: string }) => issue.in === place), String(body));
      for (const mark of Object.values(markers)) assert.ok(!String(body).includes(mark));
    });
    await fc.assert(property, check);
  });
}
