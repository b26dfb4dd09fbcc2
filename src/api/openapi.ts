import type { TObject } from 'typebox';
import type { ProblemSlug } from '../kernel/problem.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { type Operation, scopes } from './operation.ts';

/** What the document says about this installation. */
export type ApiIdentity = { readonly publicUrl: string; readonly apiVersion: string };

const always: readonly ProblemSlug[] = ['malformed-http', 'capacity-reduced', 'internal-error', 'not-acceptable'];
const withToken: readonly ProblemSlug[] = [
  'no-access-token',
  'invalid-access-token',
  'expired-access-token',
  'invalid-dpop-proof',
  'dpop-nonce-needed',
  'missing-scope',
  'quota-exceeded',
  'too-many-failed-requests',
];

/** The OpenAPI 3.1 document of these operations, made from the schemas that check the requests. */
export function openApi<P>(operations: readonly Operation<P>[], identity: ApiIdentity): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const item = paths[operation.path.replace(/^\/v1/, '') || '/'] ?? {};
    // OpenAPI 3.1 has no member for QUERY (RFC 10008); 3.2 calls it `query`.
    item[operation.method === 'QUERY' ? 'x-query' : operation.method.toLowerCase()] = describe(operation);
    paths[operation.path.replace(/^\/v1/, '') || '/'] = item;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'citizen-services',
      version: `${identity.apiVersion}`,
      summary: 'Verify identity claims, send official notifications, retrieve secure documents.',
      description:
        'The interface only grows: GET /v1 is the register of its endpoints. Tolerate members and values that you do not know. Every use of a citizen’s data leaves an entry in a signed ledger.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${identity.publicUrl}/v1` }],
    paths,
    components: {
      schemas: { Problem: problemSchema },
      securitySchemes: {
        accessToken: {
          type: 'oauth2',
          flows: {
            clientCredentials: {
              tokenUrl: `${identity.publicUrl}/oauth2/token`,
              scopes: Object.fromEntries(scopes.map((scope) => [scope, `Use the operations that need ${scope}.`])),
            },
          },
        },
      },
    },
  };
}

function describe<P>(operation: Operation<P>): Record<string, unknown> {
  const { request } = operation;
  const parameters = [
    ...parametersOf('path', request.params),
    ...parametersOf('query', request.query),
    ...parametersOf('header', request.headers),
  ];
  if (operation.idempotent === true) parameters.push(idempotencyKey);
  const body =
    operation.bodyBytes !== undefined
      ? { requestBody: { required: true, content: { 'application/octet-stream': {} } } }
      : request.body !== undefined
        ? { requestBody: { required: true, content: { 'application/json': { schema: request.body } } } }
        : {};
  return {
    operationId: operation.name,
    summary: operation.summary,
    description: operation.description,
    'x-since': operation.since,
    security: operation.scope === null ? [] : [{ accessToken: operation.scope === 'any' ? [] : [operation.scope] }],
    parameters,
    ...body,
    responses: { ...answersOf(operation), ...refusalsOf(operation) },
  };
}

function parametersOf(place: 'path' | 'query' | 'header', schema: TObject | undefined): Record<string, unknown>[] {
  if (schema === undefined) return [];
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.has(name),
    ...('description' in property ? { description: property.description } : {}),
    schema: property,
  }));
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A fresh UUID for each new request: repeating the request with the same key gives the first answer again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const commonHeaders = {
  'API-Version': { description: 'The version of this interface.', schema: { type: 'string' } },
  'Request-Id': { description: 'The id of this request, as urn:uuid; also in the log.', schema: { type: 'string' } },
};

function answersOf<P>(operation: Operation<P>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => {
      const own = Object.entries(response.headers ?? {}).map(([name, description]) => [
        name,
        { description, schema: { type: 'string' } },
      ]);
      const json = response.schema === undefined ? {} : { 'application/json': { schema: response.schema } };
      const bytes = response.bytes === true ? { '*/*': {} } : {};
      const content = { ...json, ...bytes };
      const headers = { ...commonHeaders, ...Object.fromEntries(own) };
      return [
        status,
        { description: response.description, headers, ...(Object.keys(content).length > 0 ? { content } : {}) },
      ];
    }),
  );
}

function refusalsOf<P>(operation: Operation<P>): Record<string, unknown> {
  const slugs = [
    ...operation.refusals,
    ...always,
    ...(operation.scope === null
      ? []
      : withToken.filter((slug) => operation.scope !== 'any' || slug !== 'missing-scope')),
    ...bodySlugs(operation),
  ];
  const byStatus = Map.groupBy(new Set<ProblemSlug>(['bad-request', ...slugs]), (slug) => problems[slug].status);
  return Object.fromEntries(
    [...byStatus]
      .sort(([left], [right]) => left - right)
      .map(([status, list]) => [
        status,
        {
          description: list.map((slug) => `\`${slug}\`: ${problems[slug].cause}`).join('\n\n'),
          headers: commonHeaders,
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      ]),
  );
}

function bodySlugs<P>(operation: Operation<P>): readonly ProblemSlug[] {
  const slugs: ProblemSlug[] = [];
  if (operation.request.body !== undefined) slugs.push('malformed-json', 'unsupported-media-type');
  if (operation.request.body !== undefined || operation.bodyBytes !== undefined) slugs.push('payload-too-large');
  if (operation.idempotent === true)
    slugs.push('idempotency-key-invalid', 'idempotency-key-in-progress', 'idempotency-key-reused');
  if (operation.citizenData) slugs.push('outcome-unknown');
  return slugs;
}

const problemSchema = {
  type: 'object',
  description: 'RFC 9457. The page at `type` says cause and fix; texts are for people, branch on `type`.',
  required: ['type', 'title', 'status', 'detail', 'retryable', 'instance'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string' },
    retryable: { type: 'boolean', description: 'Whether the same request can succeed later.' },
    instance: { type: 'string', pattern: '^urn:uuid:', description: 'Also the Request-Id header, and in the log.' },
    issues: {
      type: 'array',
      description: 'Every fault of the input, all at once; values are never echoed.',
      items: {
        type: 'object',
        required: ['in', 'code', 'detail'],
        properties: {
          in: { enum: ['query', 'path', 'header', 'body'] },
          pointer: { type: 'string' },
          name: { type: 'string' },
          code: { type: 'string' },
          detail: { type: 'string' },
        },
      },
    },
  },
};
