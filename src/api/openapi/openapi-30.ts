import { isObject } from '../../kernel/is-object.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Members of OpenAPI 3.1 that version 3.0 does not have, and that change no request or response. */
const newMembers = new Set(['propertyNames', 'summary', 'identifier']);

/**
 * Converts the document of this server to OpenAPI 3.0.3, for tools that do not read version 3.1. It knows only the constructs
 * that document.ts uses. The webhooks become `x-webhooks`, which some tools read.
 */
export function toOpenApi30(document: JsonObject): JsonObject {
  const { openapi: _version, info, webhooks, paths, components, ...others } = document;
  return {
    openapi: '3.0.3',
    info: convertInfo(info),
    ...others,
    paths: convert(paths),
    'x-webhooks': convert(webhooks),
    components: convert(components),
  };
}

function convertInfo(info: unknown): unknown {
  if (!isObject(info)) return info;
  const { license, ...others } = info;
  const own = isObject(license) ? { license: withoutNewMembers(license) } : {};
  return { ...withoutNewMembers(others), ...own };
}

function withoutNewMembers(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !newMembers.has(name)));
}

/** Converts a part of the document. Examples are values, not schemas: they stay as they are. */
function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  if (!isObject(value)) return value;
  const members = Object.entries(convertSchema(value)).map(([name, member]) => [name, convertMember(name, member)]);
  return Object.fromEntries(members);
}

function convertMember(name: string, member: unknown): unknown {
  if (name === 'example' || name === 'value') return member;
  // The names in `properties` are those of members: none of them is a keyword.
  if (name !== 'properties' || !isObject(member)) return convert(member);
  return Object.fromEntries(Object.entries(member).map(([key, schema]) => [key, convert(schema)]));
}

/** Converts the keywords of one schema; any other object stays as it is. */
function convertSchema({ propertyNames: _pattern, ...schema }: JsonObject): JsonObject {
  const { type, anyOf, const: constant, ...others } = schema;
  if (Array.isArray(anyOf) && anyOf.some(isNull)) {
    const options = anyOf.filter((option) => !isNull(option));
    // `nullable` needs a `type` in the same schema (OpenAPI 3.0.3). Every named schema is an object.
    return { ...others, type: typeOf(options[0]), nullable: true, allOf: options };
  }
  if (constant !== undefined && typeof type === 'string') return { type, enum: [constant], ...others };
  if (!Array.isArray(type)) return schema;
  const [first] = type.filter((name) => name !== 'null');
  return { ...schema, type: first, ...(type.includes('null') ? { nullable: true } : {}) };
}

function typeOf(option: unknown): unknown {
  return (isObject(option) ? option['type'] : undefined) ?? 'object';
}

function isNull(option: unknown): boolean {
  return isObject(option) && option['type'] === 'null';
}
