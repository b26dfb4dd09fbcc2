/**
 * Generates the types of `client/` from the OpenAPI document. It supports only the constructs that the document uses, and throws
 * for any other, so that no type is less exact than the document (docs/contribute/dependencies.md).
 */

type Json = Readonly<Record<string, unknown>>;
type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Json;
};
type Content = Readonly<Record<string, { readonly schema: Json }>>;
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
/** The part of the OpenAPI document that this script reads. src/api/openapi/document.ts creates the document. */
export type ApiDocument = {
  readonly paths: Paths;
  readonly webhooks: Paths;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    /** One example of each problem that an operation can respond with. */
    readonly examples?: Readonly<Record<string, unknown>>;
  };
};

const width = 120;
const generatedNotice = '// Made by `npm run generate` from the OpenAPI document. Change the server, not this file.';
/** Keywords that restrict a value and do not change its TypeScript type. */
const ignoredKeywords = new Set([
  ...['description', 'minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'minItems', 'maxItems', 'uniqueItems'],
  ...['format', 'maxProperties', 'propertyNames', 'x-oidc-claim'],
]);
const jsonType = 'application/json';
const errorType = 'application/problem+json';

/** The text of both generated files of the client, by their paths in the repository. */
export function clientFiles(document: ApiDocument): Readonly<Record<string, string>> {
  return { 'client/src/api-types.ts': typesFile(document), 'client/src/api-operations.ts': operationsFile(document) };
}

function operationsFile({ paths }: ApiDocument): string {
  const lines = listOperations(paths).map(({ path, method, operation }) => {
    const name = method === 'x-query' ? 'QUERY' : method.toUpperCase();
    return `  ${operation.operationId}: { method: '${name}', path: '/v1${path === '/' ? '' : path}' },`;
  });
  return `${generatedNotice}\n\n/** The method and path of each operation, by its operationId. */\nexport const operations = {\n${lines.join('\n')}\n} as const;\n`;
}

function listOperations(paths: Paths) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

function typesFile({ paths, webhooks, components }: ApiDocument): string {
  const declarations: string[] = [];
  const declare = (name: string, schema: Json) => {
    const text = typeOf(schema, '', name);
    declarations.push(
      `${comment(descriptionOf(schema), '')}export type ${name} =${text.startsWith('\n') ? '' : ' '}${text};\n`,
    );
  };
  for (const [name, schema] of Object.entries(components.schemas)) declare(name, schema);
  const slugs = { type: 'string', enum: Object.keys(components.examples ?? {}) };
  const description = 'The last part of the type of each problem of today.';
  if (slugs.enum.length > 0) declare('ProblemSlug', { ...slugs, description });
  const members = listOperations(paths).map(({ operation }) => operationType(operation));
  for (const { operation } of listOperations(webhooks)) {
    if (operation.requestBody?.content[jsonType] === undefined) failOn(operation.operationId, 'no JSON');
  }
  const operationTypes = `${comment('Each operation by its operationId: its input, and its JSON response by status. Every error response is a `Problem`.', '')}export type Operations = {\n${members.join('')}};\n`;
  return `${[generatedNotice, preamble, ...declarations, operationTypes].join('\n')}`;
}

const preamble = `
/** The known values. Later versions of the server may send others, so a client must accept unknown values. */
export type Open<Word extends string> = Word | (string & Record<never, never>);

/** The bytes of a document. A stream can be sent only once. A retry can send the other types again. */
export type Bytes = Uint8Array | Blob | ReadableStream<Uint8Array>;
`;

function operationType({ operationId, summary, parameters = [], ...rest }: Operation): string {
  const parts = (['path', 'query', 'header'] as const).flatMap((location) => {
    const own = parameters.filter((one) => one.in === location);
    const types = location === 'header' ? bytesTypesOf(rest.requestBody) : [];
    const listed = types.length > 0 ? [contentTypeOf(types), ...own] : own;
    const part = { path: 'params', query: 'query', header: 'headers' }[location];
    const optionalMark = listed.some(({ required }) => required === true) ? '' : '?';
    const object = {
      type: 'object',
      properties: Object.fromEntries(listed.map(({ name, schema, description }) => [name, { ...schema, description }])),
      required: listed.filter(({ required }) => required === true).map((one) => one.name),
    };
    return listed.length === 0 ? [] : [`    ${part}${optionalMark}: ${typeOf(object, '    ', operationId)};\n`];
  });
  const body = bodyType(rest.requestBody, operationId);
  const lines = answerTypes(operationId, rest.responses).map(
    ({ status, schema }) => `      ${status}: ${typeOf(schema, '      ', operationId)};\n`,
  );
  const answersType = lines.length === 0 ? 'Record<never, never>' : `{\n${lines.join('')}    }`;
  return `${comment(summary, '  ')}  ${operationId}: {\n${parts.join('')}${body}    answers: ${answersType};\n  };\n`;
}

/** The formats of files that an operation takes. */
const fileTypes: ReadonlySet<string> = new Set(['text/csv', 'application/jsonl']);

/** The media types of a body that is not JSON. */
function bytesTypesOf(body: Operation['requestBody']): readonly string[] {
  const types = Object.keys(body?.content ?? {});
  if (types.includes('*/*')) return types;
  return types.every((type) => fileTypes.has(type)) ? types : [];
}

function contentTypeOf(types: readonly string[]): Parameter {
  const isAny = types.includes('*/*');
  return {
    name: 'Content-Type',
    in: 'header',
    required: true,
    description: isAny ? 'The media type of the document.' : 'The media type of the file.',
    schema: { type: 'string', ...(isAny ? {} : { enum: types }) },
  };
}

function bodyType(body: Operation['requestBody'], where: string): string {
  if (body === undefined) return '';
  const json = body.content[jsonType]?.schema;
  const optionalMark = body.required ? '' : '?';
  if (json !== undefined) return `    body${optionalMark}: ${typeOf(json, '    ', where)};\n`;
  return bytesTypesOf(body).length === 0
    ? failOn('a body', 'neither JSON nor bytes')
    : `    body${optionalMark}: Bytes;\n`;
}

/** The JSON responses below status 400. Other media types get no type. Throws if an error response is not a `Problem`. */
function answerTypes(operationId: string, responses: Operation['responses']) {
  return Object.entries(responses).flatMap(([status, { content = {} }]) => {
    if (status !== 'default' && Number(status) < 400) {
      const schema = content[jsonType]?.schema;
      return schema === undefined ? [] : [{ status, schema }];
    }
    const isProblem = content[errorType]?.schema['$ref'] === '#/components/schemas/Problem';
    return isProblem ? [] : failOn(`${operationId} ${status}`, 'an error that is no Problem');
  });
}

/** The TypeScript type of a schema. `indent` is the indentation of the line on which it starts. */
function typeOf(schema: Json, indent: string, where: string): string {
  const { type, $ref, const: constant, enum: enumValues, 'x-extensible-enum': open, items, ...others } = schema;
  const { properties, required, additionalProperties, anyOf, ...rest } = others;
  const unknownKeyword = Object.keys(rest).find((name) => !ignoredKeywords.has(name));
  if (unknownKeyword !== undefined) failOn(where, unknownKeyword);
  if (typeof $ref === 'string') return $ref.replace('#/components/schemas/', '');
  if (Array.isArray(anyOf)) return anyOf.map((option: Json) => typeOf(option, indent, where)).join(' | ');
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one }, indent, where)).join(' | ');
  if (type === 'null') return type;
  if (constant !== undefined) return literal(constant, where);
  if (enumValues !== undefined) return union(enumValues, indent, where);
  if (open !== undefined) return `Open<${union(open, indent, where)}>`;
  if (type === 'array') return arrayOf(typeOf(items as Json, indent, where));
  if (type === 'object') {
    return objectType({ properties, required, additionalProperties } as ObjectSchema, indent, where);
  }
  if (type === 'string' || type === 'boolean') return type;
  if (type === 'integer') return 'number';
  return type === undefined ? 'unknown' : failOn(where, `type ${JSON.stringify(type)}`);
}

type ObjectSchema = {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Json;
};

function objectType(schema: ObjectSchema, indent: string, where: string): string {
  const { properties = {}, required = [], additionalProperties = false } = schema;
  if (typeof additionalProperties !== 'boolean') {
    if (Object.keys(properties).length > 0) failOn(where, 'additionalProperties with a schema, beside properties');
    return `Record<string, ${typeOf(additionalProperties, indent, where)}>`;
  }
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, member]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`;
    const optionalMark = required.includes(name) ? '' : '?';
    return `${comment(descriptionOf(member), inner)}${inner}${key}${optionalMark}: ${typeOf(member, inner, `${where}.${name}`)};\n`;
  });
  if (additionalProperties) lines.push(`${inner}[more: string]: unknown;\n`);
  return lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('')}${indent}}`;
}

function union(enumValues: unknown, indent: string, where: string): string {
  const literals = (enumValues as readonly unknown[]).map((value) => literal(value, where));
  const line = literals.join(' | ');
  if (indent.length + line.length < width - 20) return line;
  return `\n${literals.map((each) => `${indent}  | ${each}`).join('\n')}\n${indent}`.trimEnd();
}

function arrayOf(item: string): string {
  return /^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`;
}

function literal(value: unknown, where: string): string {
  if (typeof value === 'string' && !/['\\\n]/.test(value)) return `'${value}'`;
  return typeof value === 'boolean' ? String(value) : failOn(where, `the value ${JSON.stringify(value)}`);
}

function descriptionOf(schema: Json): string {
  return typeof schema['description'] === 'string' ? schema['description'] : '';
}

function comment(text: string, indent: string): string {
  const words = text.replaceAll('*/', '*\\/').split(/\s+/);
  if (text === '') return '';
  const single = `${indent}/** ${words.join(' ')} */\n`;
  if (single.length <= width + 1) return single;
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${indent} * ${word}`);
  }
  return `${indent}/**\n${lines.join('\n')}\n${indent} */\n`;
}

class UnsupportedConstruct extends Error {
  override readonly name = 'UnsupportedConstruct';
}

function failOn(where: string, construct: string): never {
  throw new UnsupportedConstruct(`scripts/client-types.ts: ${where} has an unsupported construct: ${construct}`);
}
