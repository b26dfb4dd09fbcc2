import type { TObject } from 'typebox';
import { concealmentHeaders } from '../concealed-access.ts';
import { type DocumentForm, type Operation, type ResponseShape, scopes } from '../operation.ts';
import { asSchema, type ExampleContext } from './example.ts';
import { type HeaderObject, headerComponents, responseHeaders } from './headers.ts';
import { exampleContextOf, groupDescription, groupOf, idempotencyKeyDescription } from './operation-group.ts';
import { problemExamples, problemSchema, refusalResponses } from './problems.ts';
import { documentedSchema, withExample } from './schema.ts';
import { describeWebhooks } from './webhooks.ts';

/** The facts of this installation in the document, and its contacts. */
export type ApiInfo = {
  readonly publicUrl: string;
  readonly apiVersion: string;
  readonly supportEmail?: string | undefined;
  readonly termsUrl?: string | undefined;
  readonly documentLimit: number;
};

/** Identifies this interface in catalogues; it stays the same when the title changes. */
const apiId = '6d0e2c1a-3c4e-4a58-9d0f-5a7be2f1c9b4';

/** Creates the OpenAPI 3.1 document of the operations from the schemas that check their requests. */
export function createOpenApiDocument<P>(
  operations: readonly Operation<P>[],
  identity: ApiInfo,
): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/^\/v1/, '') || '/';
    // OpenAPI 3.1 has no member for QUERY (RFC 10008); 3.2 calls it `query`.
    const method = operation.method === 'QUERY' ? 'x-query' : operation.method.toLowerCase();
    paths[path] = { ...paths[path], [method]: describeOperation(operation, identity) };
  }
  const used = new Set(operations.map(groupOf));
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
    webhooks: describeWebhooks(operations),
    components: {
      schemas: { Problem: problemSchema },
      headers: headerComponents,
      examples: problemExamples(operations, identity.publicUrl),
      securitySchemes: { accessToken: securityScheme(identity) },
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
      'GET /v1 lists all endpoints; none is ever removed. Ignore members and values that you do not know. Every access to the data of a citizen is recorded in a signed ledger.',
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

function securityScheme({ publicUrl }: ApiInfo): Record<string, unknown> {
  return {
    type: 'oauth2',
    description:
      'JWT access tokens (RFC 9068) that are valid for at most 10 minutes. Algorithm, type, issuer and audience are fixed (RFC8725). Clients of the built-in authorization server authenticate with private_key_jwt.',
    flows: {
      clientCredentials: {
        tokenUrl: `${publicUrl}/oauth2/token`,
        scopes: Object.fromEntries(scopes.map((scope) => [scope, `Use the operations that require ${scope}.`])),
      },
    },
  };
}

function describeOperation<P>(operation: Operation<P>, { documentLimit }: ApiInfo): Record<string, unknown> {
  const { request } = operation;
  const context = exampleContextOf(operation, 'request');
  const parameters = [
    ...parametersOf('path', request.params),
    ...parametersOf('query', request.query),
    ...parametersOf('header', request.headers),
    ...(operation.idempotent === true ? [idempotencyKey] : []),
    ...(operation.citizenData && operation.scope !== 'citizen:self' ? concealmentParameters : []),
  ];
  return {
    operationId: operation.name,
    tags: [context.group],
    summary: operation.summary,
    description: operation.description,
    'x-since': operation.since,
    ...(operation.deprecated === undefined ? {} : { deprecated: true }),
    security: operation.scope === null ? [] : [{ accessToken: operation.scope === 'any' ? [] : [operation.scope] }],
    parameters,
    ...requestBodyOf(operation, documentLimit, context),
    responses: { ...responsesOf(operation, exampleContextOf(operation, 'answer')), ...refusalResponses(operation) },
  };
}

function requestBodyOf<P>(
  { request, bodyBytes }: Operation<P>,
  limit: number,
  context: ExampleContext,
): Record<string, unknown> {
  if (bodyBytes !== undefined) {
    const { usualType, form } = bodyBytes;
    const bytes = { schema: { ...documentBytes, maxLength: limit }, example };
    const whole = { [usualType]: bytes, '*/*': bytes };
    const content = form === undefined ? whole : { ...whole, 'multipart/form-data': formContent(form, limit, context) };
    return { requestBody: { required: true, content } };
  }
  if (request.body === undefined) return {};
  return { requestBody: { required: true, content: { 'application/json': withExample(request.body, context) } } };
}

function formContent({ fields, part }: DocumentForm, limit: number, context: ExampleContext): Record<string, unknown> {
  const { schema, example: values } = withExample(fields, context);
  const { required = [] } = fields;
  const shape = {
    ...schema,
    properties: { ...asSchema(schema['properties']), [part]: { ...documentBytes, maxLength: limit } },
    required: [...required, part],
  };
  return { schema: shape, example: { ...asSchema(values), [part]: example } };
}

/** Headers that OpenAPI describes elsewhere (media types, security schemes) or that HTTP itself defines. */
const impliedHeaders = new Set(['accept', 'content-type', 'authorization', 'content-length', 'content-encoding']);

function parametersOf(place: 'path' | 'query' | 'header', schema: TObject | undefined): Record<string, unknown>[] {
  if (schema === undefined) return [];
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties)
    .filter(([name]) => place !== 'header' || !impliedHeaders.has(name))
    .map(([name, property]) => {
      const { description, ...shape } = documentedSchema(property, 'request', name);
      return {
        name: place === 'header' ? headerCase(name) : name,
        in: place,
        required: required.has(name),
        description: description ?? `The ${name}.`,
        schema: shape,
      };
    });
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
};

const concealmentParameters = [
  {
    name: headerCase(concealmentHeaders.until),
    in: 'header',
    required: false,
    description: 'Conceals this access from the citizen until this time. Requires the scope access-log:hide.',
    schema: { type: 'string', format: 'date-time', maxLength: 40 },
  },
  {
    name: headerCase(concealmentHeaders.reason),
    in: 'header',
    required: false,
    description:
      'The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.',
    schema: { type: 'string', minLength: 1, maxLength: 2_400, pattern: '^[ -~]+$' },
  },
];

function responsesOf<P>(operation: Operation<P>, context: ExampleContext): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => {
      const own = Object.entries(response.headers ?? {}).map(([name, description]): [string, HeaderObject] => [
        name,
        { description, schema: { type: 'string', maxLength: 2_048, pattern: '^[ -~]*$' } },
      ]);
      const headers = { ...responseHeaders(operation, Number(status)), ...Object.fromEntries(own) };
      return [status, { description: response.description, headers, ...contentOf(response, context) }];
    }),
  );
}

function contentOf({ schema, bytes, text }: ResponseShape, context: ExampleContext): Record<string, unknown> {
  const content = {
    ...(schema === undefined ? {} : { 'application/json': withExample(schema, context) }),
    ...(text === undefined ? {} : { [text.type]: textContent(text) }),
    ...(bytes === true ? { '*/*': { schema: documentBytes, example } } : {}),
  };
  return Object.keys(content).length === 0 ? {} : { content };
}

function textContent({ pattern, description, example }: NonNullable<ResponseShape['text']>) {
  return { schema: { type: 'string', pattern, maxLength: 1_048_576, description }, example };
}

const example = '%PDF-1.7 …';
const documentBytes = {
  type: 'string',
  format: 'binary',
  maxLength: 9_007_199_254_740_991,
  description: 'The bytes of the document.',
};
