import { readFileSync } from 'node:fs';
import { Compile } from 'typebox/schema';
import { openApiPath } from './openapi-linters.ts';
import { resolveReferences } from './resolve-references.ts';

/** A response as the server sent it. */
export type SentResponse = {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Undefined if it was too large to buffer. */
  readonly body: Buffer | undefined;
};

/** The operation of a response, and how the response differs from the OpenAPI document. Problems contain no values. */
type CheckedResponse = { readonly operation: string | undefined; readonly problems: readonly string[] };

type Json = Readonly<Record<string, unknown>>;
type Header = { readonly required?: boolean; readonly schema: Json };
type DeclaredResponse = {
  readonly headers?: Record<string, Header>;
  readonly content?: Record<string, { readonly schema?: Json }>;
};
type Operation = { readonly operationId: string; readonly responses: Readonly<Record<string, DeclaredResponse>> };
type Route = { readonly pattern: RegExp; readonly methods: Readonly<Record<string, Operation>> };
type SchemaCheck = (value: unknown) => boolean;

/** Statuses of requests that the server rejects before routing; the document declares them as `default`. */
const statusesBeforeRouting = new Set([405, 408, 414, 417, 431]);

/** Returns a function that compares a response with the OpenAPI document of the repository. */
export function createResponseCheck(): (left: SentResponse) => CheckedResponse {
  const document = resolveReferences(JSON.parse(readFileSync(openApiPath, 'utf8')) as Json);
  // src/api/openapi/document.ts creates the document; the types above state its shape.
  const paths = closeEnums(document['paths']) as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  const routes = Object.entries(paths)
    .sort(([left], [right]) => left.split('{').length - right.split('{').length)
    .map(([path, methods]): Route => {
      const literal = `/v1${path === '/' ? '/?' : path}`.replaceAll(/\{\w+\}/g, '[^/]+');
      return { pattern: new RegExp(`^${literal}$`), methods };
    });
  const compiled = new Map<Json, SchemaCheck>();
  const matchesSchema = (schema: Json, value: unknown) => {
    let check = compiled.get(schema);
    if (check === undefined) {
      const validator = Compile(schema);
      check = (value) => validator.Check(value);
      compiled.set(schema, check);
    }
    return check(value);
  };
  return (left) => {
    const methods = routes.find(({ pattern }) => pattern.test(left.path))?.methods ?? {};
    const name = left.method === 'HEAD' ? 'get' : left.method === 'QUERY' ? 'x-query' : left.method.toLowerCase();
    const operation = methods[name];
    if (operation === undefined) return { operation: undefined, problems: unroutedResponseFaults(left) };
    const { operationId, responses } = operation;
    const declared =
      responses[left.status] ?? (statusesBeforeRouting.has(left.status) ? responses['default'] : undefined);
    if (declared === undefined) return { operation: operationId, problems: ['the status is not declared'] };
    return {
      operation: operationId,
      problems: [...headerFaults(left, declared, matchesSchema), ...bodyFaults(left, declared, matchesSchema)],
    };
  };
}

/** The statuses that the document declares for each operation, each written as `operation status`. */
export function declaredResponses(): readonly string[] {
  const { paths } = JSON.parse(readFileSync(openApiPath, 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, responses }) => Object.keys(responses).map((status) => `${operationId} ${status}`));
}

/** Turns the known values of each extensible enum into a closed enum. */
function closeEnums(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeEnums);
  if (typeof value !== 'object' || value === null) return value;
  const schema: Json = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closeEnums(member)]));
  const knownValues = schema['x-extensible-enum'];
  if (!Array.isArray(knownValues)) return schema;
  return { ...schema, enum: Array.isArray(schema['type']) ? [...knownValues, null] : knownValues };
}

/** A response without an operation must be a problem, or list the methods of a path in Allow. */
function unroutedResponseFaults({ method, status, headers }: SentResponse): string[] {
  if (method === 'OPTIONS' && status === 204) return headers['allow'] === undefined ? ['no Allow'] : [];
  if (status < 400) return ['an answer that no operation declares'];
  return headers['content-type'] === 'application/problem+json' ? [] : ['not application/problem+json'];
}

function headerFaults(
  { headers }: SentResponse,
  { headers: declared = {} }: DeclaredResponse,
  fits: (s: Json, v: unknown) => boolean,
) {
  return Object.entries(declared).flatMap(([name, { required, schema }]) => {
    const value = headers[name.toLowerCase()];
    if (value === undefined) return required === true ? [`no header ${name}`] : [];
    const parsed = schema['type'] === 'integer' ? Number(value) : String(value);
    return fits(schema, parsed) ? [] : [`the header ${name} is not of its form`];
  });
}

function bodyFaults(
  { method, headers, body }: SentResponse,
  { content }: DeclaredResponse,
  fits: (s: Json, v: unknown) => boolean,
) {
  if (method === 'HEAD' || body === undefined) return [];
  if (content === undefined) return body.length === 0 ? [] : ['a body where none is declared'];
  const [type = ''] = String(headers['content-type'] ?? '').split(';');
  const declared = content[type] ?? content['*/*'];
  if (declared === undefined) return [`the content type ${type} is not declared`];
  if (!/^application\/(?:problem\+)?json$/.test(type) || content[type] === undefined) return [];
  const { schema } = declared;
  if (schema === undefined) return [];
  const value: unknown = JSON.parse(String(body));
  return fits(schema, value) ? undeclaredMembers(schema, value) : ['the body is not of its schema'];
}

/** Members at any depth that the document does not declare: a client that is generated from it cannot read them. */
function undeclaredMembers(schema: unknown, value: unknown): string[] {
  const { properties, items, additionalProperties } = (schema ?? {}) as Json;
  if (Array.isArray(value)) return value.flatMap((item) => undeclaredMembers(items, item));
  if (typeof properties !== 'object' || typeof value !== 'object' || value === null) return [];
  const declaredMembers = new Map(Object.entries(properties ?? {}));
  return Object.entries(value).flatMap(([name, member]) => {
    if (declaredMembers.has(name)) return undeclaredMembers(declaredMembers.get(name), member);
    if (typeof additionalProperties === 'object') return undeclaredMembers(additionalProperties, member);
    return additionalProperties === true ? [] : [`the member ${name} is not declared`];
  });
}
