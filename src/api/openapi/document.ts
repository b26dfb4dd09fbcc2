import type { TObject } from 'typebox';
import { concealmentHeaders } from '../concealed-access.ts';
import { deprecationText } from '../deprecation.ts';
import type { DocumentForm, Operation, ResponseShape, TextFormat } from '../operation.ts';
import { capitalize, createSchemaComponents, type SchemaComponents } from './components.ts';
import { asSchema, createExample, type ExampleContext, type JsonSchema } from './example.ts';
import { type HeaderObject, headerComponents, ownHeader, responseHeaders } from './headers.ts';
import { exampleContextOf, groupDescription, groupOf, idempotencyKeyDescription } from './operation-group.ts';
import { problemExamples, problemSchema, refusalResponses } from './problems.ts';
import { type RecordedExample, type RecordedRequest, recordedExampleOf } from './recorded-examples.ts';
import { documentedSchema, withExample } from './schema.ts';
import { scopeDescriptions } from './scope-descriptions.ts';
import { describeWebhooks } from './webhooks.ts';

/** The facts of this installation in the document, and its contacts. */
export type ApiInfo = {
  readonly publicUrl: string;
  readonly apiVersion: string;
  readonly supportEmail?: string | undefined;
  readonly termsUrl?: string | undefined;
  readonly documentLimit: number;
  /** The methods by which clients authenticate at the token endpoint, as in its metadata. */
  readonly authMethods: readonly string[];
};

/** Identifies this interface in catalogues; it stays the same when the title changes. */
const apiId = '6d0e2c1a-3c4e-4a58-9d0f-5a7be2f1c9b4';

/** Creates the OpenAPI 3.1 document of the operations from the schemas that check their requests. */
export function createOpenApiDocument<P>(
  operations: readonly Operation<P>[],
  identity: ApiInfo,
): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  const components = createSchemaComponents();
  components.refer(problemSchema, 'Problem');
  for (const operation of operations) {
    const path = operation.path.replace(/^\/v1/, '') || '/';
    // OpenAPI 3.1 has no member for QUERY (RFC 10008); 3.2 calls it `query`.
    const method = operation.method === 'QUERY' ? 'x-query' : operation.method.toLowerCase();
    paths[path] = { ...paths[path], [method]: describeOperation(operation, identity, components) };
  }
  const used = new Set(operations.map(groupOf));
  const webhooks = describeWebhooks(operations, components);
  return {
    openapi: '3.1.0',
    info: infoOf(identity),
    servers: [
      {
        url: `${identity.publicUrl}/v1`,
        description: 'This installation. Production and sandbox run the same program.',
        'x-internal': false,
      },
    ],
    tags: [...used].map((name) => ({ name, description: groupDescription(name) })),
    paths,
    webhooks,
    components: {
      schemas: components.schemas(),
      headers: headerComponents,
      examples: problemExamples(operations, identity.publicUrl),
      securitySchemes: { accessToken: securityScheme(identity), staffToken: staffSecurityScheme() },
    },
  };
}

function infoOf({ publicUrl, apiVersion, supportEmail, termsUrl }: ApiInfo): Record<string, unknown> {
  const summary = 'Verify identity claims, send official notifications, retrieve secure documents.';
  return {
    title: 'citizen-services',
    version: apiVersion,
    summary,
    'x-summary': summary,
    description:
      'GET /v1 lists all endpoints, and none is ever removed. Ignore members and values that you do not know. The server records each access to the data of a citizen in a signed ledger.',
    ...(termsUrl === undefined ? {} : { termsOfService: termsUrl }),
    contact: {
      name: 'The operator of this installation',
      url: `${publicUrl}/docs`,
      ...(supportEmail === undefined ? {} : { email: supportEmail }),
    },
    license: { name: 'MIT', identifier: 'MIT' },
    'x-api-id': apiId,
    'x-audience': 'external-partner',
  };
}

function securityScheme({ publicUrl, authMethods }: ApiInfo): Record<string, unknown> {
  return {
    type: 'oauth2',
    description: `JWT access tokens (RFC 9068), valid for at most 10 minutes. The server accepts only its own algorithms, type, issuers and audience (RFC8725). At the token URL, a client authenticates with the method that the operator registered for it; this installation supports ${listOf(authMethods)}. A client can bind its tokens to a key (DPoP, RFC 9449) or to its certificate (RFC 8705). The server also accepts tokens of issuers that the operator trusts.`,
    flows: {
      clientCredentials: {
        tokenUrl: `${publicUrl}/oauth2/token`,
        scopes: scopeDescriptions,
      },
    },
  };
}

function listOf(names: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(names);
}

function staffSecurityScheme(): Record<string, unknown> {
  return {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'JWT access tokens of STAFF_ISSUER for STAFF_CLIENT_ID, which name a member of staff. The roles in the token give the scopes (STAFF_ROLES). Tokens of clients and citizens never have these scopes. The server accepts only its own algorithms, type, issuers and audience (RFC8725).',
  };
}

function securityOf<P>({ scope, callers }: Operation<P>): readonly Record<string, readonly string[]>[] {
  if (scope === null) return [];
  if (callers.includes('staff')) return [{ staffToken: [] }];
  return [{ accessToken: scope === 'any' ? [] : [scope] }];
}

function describeOperation<P>(
  operation: Operation<P>,
  { documentLimit }: ApiInfo,
  components: SchemaComponents,
): Record<string, unknown> {
  const { request, deprecated } = operation;
  const context = exampleContextOf(operation, 'request');
  const recorded = recordedExampleOf(operation.name);
  const examples = { context, recorded: recorded?.request };
  const parameters = [
    ...parametersOf('path', request.params, examples),
    ...parametersOf('query', request.query, examples),
    ...parametersOf('header', request.headers, examples),
    ...(operation.idempotent === true ? [idempotencyKey] : []),
    ...(operation.citizenData && operation.callers.includes('clients') ? concealmentParameters : []),
  ];
  return {
    operationId: operation.name,
    tags: [context.group],
    summary: operation.summary,
    description:
      deprecated === undefined ? operation.description : `${deprecationText(deprecated)} ${operation.description}`,
    'x-since': operation.since,
    ...(deprecated === undefined ? {} : { deprecated: true }),
    security: securityOf(operation),
    parameters,
    ...requestBodyOf(operation, { limit: documentLimit, examples, components }),
    responses: { ...responsesOf(operation, components, recorded), ...refusalResponses(operation) },
  };
}

/** The sources of the examples of a request: its recorded values, or else values by the names of the members. */
type RequestExamples = { readonly context: ExampleContext; readonly recorded: RecordedRequest | undefined };

type BodyContext = {
  readonly limit: number;
  readonly examples: RequestExamples;
  readonly components: SchemaComponents;
};

function requestBodyOf<P>(operation: Operation<P>, { limit, examples, components }: BodyContext) {
  const { request, bodyBytes } = operation;
  const name = `${capitalize(operation.name)}Body`;
  if (bodyBytes?.texts !== undefined) {
    const exampleOf = ({ type }: TextFormat) => (type === 'text/csv' ? examples.recorded?.csv : undefined);
    const content = bodyBytes.texts.map((text) => [text.type, textContent(text, exampleOf(text))] as const);
    return { requestBody: { required: true, content: Object.fromEntries(content) } };
  }
  if (bodyBytes !== undefined) {
    const { usualType, form } = bodyBytes;
    const sent = { ...documentBytes, description: `The bytes of the document. The maximum is ${limit} bytes.` };
    const bytes = { schema: sent, example: exampleDocument };
    const part = { ...sent, description: `${sent.description} ${typeOfPart}` };
    const fields = form && formContent(form, part, examples);
    const content = {
      // First, because generators use the first entry or, as proxies do, the first that fits: a wildcard fits a form too.
      ...(fields && { 'multipart/form-data': { ...fields, schema: components.refer(fields.schema, name) } }),
      [usualType]: bytes,
      '*/*': bytes,
    };
    return { requestBody: { required: true, content } };
  }
  if (request.body === undefined) return {};
  const { schema, example } = withExample(request.body, examples.context);
  const json = { schema: components.refer(schema, name), example: examples.recorded?.body ?? example };
  return { requestBody: { required: true, content: { 'application/json': json } } };
}

function formContent({ fields, part }: DocumentForm, bytes: JsonSchema, { context, recorded }: RequestExamples) {
  const { schema, example } = withExample(fields, context);
  const { required = [] } = fields;
  const shape = {
    ...schema,
    properties: { ...asSchema(schema['properties']), [part]: bytes },
    required: [...required, part],
  };
  return { schema: shape, example: { ...asSchema(recorded?.form ?? example), [part]: exampleFile } };
}

/** Headers that OpenAPI describes elsewhere (media types, security schemes) or that HTTP itself defines. */
const impliedHeaders = new Set(['accept', 'content-type', 'authorization', 'content-length', 'content-encoding']);

function parametersOf(
  place: 'path' | 'query' | 'header',
  schema: TObject | undefined,
  { context, recorded }: RequestExamples,
): Record<string, unknown>[] {
  if (schema === undefined) return [];
  const required = new Set(schema.required ?? []);
  const sent: Readonly<Record<string, unknown>> = { ...recorded?.params, ...recorded?.query };
  return Object.entries(schema.properties)
    .filter(([name]) => place !== 'header' || !impliedHeaders.has(name))
    .map(([name, property]) => {
      const { description, ...shape } = documentedSchema(property, 'request', name);
      const example = sent[name] ?? createExample(shape, name, context);
      return {
        name: place === 'header' ? headerCase(name) : name,
        in: place,
        required: required.has(name),
        description: description ?? `The ${name}.`,
        schema: shape,
        ...(name in sent || required.has(name) ? { example } : unsentExample(example)),
      };
    });
}

/** The example of an optional parameter that the example request does not have. The extension keeps it out of samples. */
function unsentExample(value: unknown): { readonly examples: Readonly<Record<string, unknown>> } {
  return { examples: { unsent: { value, 'x-disabled': true } } };
}

function headerCase(name: string): string {
  return name.replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: idempotencyKeyDescription,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  ...unsentExample('0b1f6d0e-8a53-4c57-9d2e-3f1c6a7b9e10'),
};

const concealmentParameters = [
  {
    name: headerCase(concealmentHeaders.until),
    in: 'header',
    required: false,
    description:
      'Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide.',
    schema: { type: 'string', format: 'date-time', maxLength: 40 },
    ...unsentExample('2027-05-20T09:30:00Z'),
  },
  {
    name: headerCase(concealmentHeaders.reason),
    in: 'header',
    required: false,
    description:
      'The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen can read it when the concealment ends.',
    schema: { type: 'string', minLength: 1, maxLength: 2_400, pattern: '^[ -~]+$' },
    ...unsentExample('An%20investigation%20is%20under%20way.'),
  },
];

function responsesOf<P>(
  operation: Operation<P>,
  components: SchemaComponents,
  recorded: RecordedExample | undefined,
): Record<string, unknown> {
  const statuses = Object.keys(operation.responses).length;
  return Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => {
      const own = Object.entries(response.headers ?? {}).map(([name, description]): [string, HeaderObject] => [
        name,
        ownHeader(operation, name, description),
      ]);
      const headers = { ...responseHeaders(operation, Number(status)), ...Object.fromEntries(own) };
      const name = `${capitalize(operation.name)}Answer${statuses > 1 ? status : ''}`;
      const refer = (schema: JsonSchema) => components.refer(schema, name);
      const answer = recorded?.status === Number(status) ? recorded.answer : undefined;
      const content = contentOf(response, exampleContextOf(operation, 'answer'), { refer, answer });
      return [status, { description: response.description, headers, ...content }];
    }),
  );
}

function contentOf(
  { schema: given, bytes, text }: ResponseShape,
  context: ExampleContext,
  { refer, answer }: { readonly refer: (schema: JsonSchema) => JsonSchema; readonly answer: unknown },
): Record<string, unknown> {
  const json = given && withExample(given, context);
  const content = {
    ...(json && { 'application/json': { schema: refer(json.schema), example: answer ?? json.example } }),
    ...(text && { [text.type]: textContent(text, answer) }),
    ...(bytes && { '*/*': { schema: documentBytes, example: exampleDocument } }),
  };
  return Object.keys(content).length === 0 ? {} : { content };
}

function textContent({ pattern, description, example }: NonNullable<ResponseShape['text']>, answer: unknown) {
  return { schema: { type: 'string', pattern, maxLength: 1_048_576, description }, example: answer ?? example };
}

const typeOfPart =
  'A part without a type, or with application/octet-stream, gets the type that its bytes and file name show.';
/** A file in the notation of curl, which samples of requests use. */
const exampleFile = '@document.pdf';
const exampleDocument = '%PDF-1.7 …';
// Without maxLength, which counts characters. Generators of validators fail on it where they expect a file.
const documentBytes = { type: 'string', format: 'binary', description: 'The bytes of the document.' };
