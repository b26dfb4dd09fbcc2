import { documentedMembers } from '../undocumented-member.ts';
import { asSchema, createExample, type ExampleContext, type JsonSchema } from './example.ts';
import { memberDescriptions } from './member-descriptions.ts';

/** Bounds of every text, list and number whose own schema sets none. */
const defaultBounds = { text: 1_048_576, items: 10_000, number: Number.MAX_SAFE_INTEGER } as const;

/** Neither engine stores U+0000, and validate-request.ts refuses it. */
const textPattern = '^[^\\u0000]*$';

/** A schema in the form that client generators read best, with a bound for every text, list and number. */
export function documentedSchema(given: unknown, direction: ExampleContext['direction'], name = ''): JsonSchema {
  const merged = mapOf(mergeUnion(asSchema(given)));
  const schema = direction === 'answer' ? extensibleSchema(merged) : merged;
  // A schema with a name of its own has the same description at every place.
  const described = schema['description'] ?? ('$id' in schema ? undefined : memberDescriptions[name]);
  return {
    ...(described === undefined ? {} : { description: described }),
    ...schema,
    ...boundsOf(schema),
    ...documentedParts(schema, direction),
  };
}

/** A map of texts to values. Generators ignore `patternProperties`, and then drop all its members. */
function mapOf({ patternProperties, ...schema }: JsonSchema): JsonSchema {
  const [entry] = Object.entries(asSchema(patternProperties));
  if (entry === undefined) return schema;
  const [pattern, given] = entry;
  const value = asSchema(given);
  const names = pattern === anyName ? {} : { propertyNames: { pattern } };
  return { ...schema, ...names, additionalProperties: Object.keys(value).length === 0 ? true : value };
}

/** The pattern of a map whose names are any text, as TypeBox writes it. */
const anyName = '^.*$';

/** The documented schema with an example of one whole value. */
export function withExample(given: unknown, context: ExampleContext): { schema: JsonSchema; example: unknown } {
  const schema = documentedSchema(given, context.direction);
  return { schema, example: createExample(schema, '', context) };
}

/** Responses may get new members and values. So no object is closed, and an enumeration is only described. */
function extensibleSchema({ enum: choices, additionalProperties, ...others }: JsonSchema): JsonSchema {
  const isClosed = additionalProperties === undefined || additionalProperties === false;
  const rest = isClosed ? others : { ...others, additionalProperties };
  if (!Array.isArray(choices)) return { ...rest, ...(choices === undefined ? {} : { enum: choices }) };
  return { ...rest, 'x-extensible-enum': choices.filter((choice) => choice !== null), ...wordSchema };
}

const wordSchema = { maxLength: 64, pattern: '^[A-Za-z0-9][A-Za-z0-9_.:-]*$' } as const;

function mergeUnion(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const options = anyOf.map((option) => mergeUnion(asSchema(option)));
  const [only, ...others] = options.filter((option) => option['type'] !== 'null');
  if (only === undefined) return schema;
  const nullable = others.length + 1 < options.length;
  if (others.length === 0) return { ...only, ...rest, ...(nullable ? withNull(only) : {}) };
  if (![only, ...others].every((option) => typeof option['const'] === 'string')) return { ...rest, anyOf: options };
  const choices = { type: 'string', enum: [only, ...others].map((option) => option['const']) };
  return { ...rest, ...choices, ...(nullable ? withNull(choices) : {}) };
}

function withNull({ type, enum: choices }: JsonSchema): JsonSchema {
  return {
    type: [...(Array.isArray(type) ? type : [type]), 'null'],
    ...(Array.isArray(choices) ? { enum: [...choices, null] } : {}),
  };
}

function boundsOf(schema: JsonSchema): JsonSchema {
  const { type, format, pattern, maxLength, maxItems, minimum, maximum } = schema;
  const is = (name: string) => (Array.isArray(type) ? type.includes(name) : type === name);
  if ('enum' in schema || 'const' in schema) return {};
  if (is('string')) {
    return {
      maxLength: maxLength ?? defaultBounds.text,
      ...(format === undefined && pattern === undefined ? { pattern: textPattern } : {}),
    };
  }
  if (is('integer')) return { format: 'int64', minimum: minimum ?? 0, maximum: maximum ?? defaultBounds.number };
  if (is('array')) return { maxItems: maxItems ?? defaultBounds.items };
  return {};
}

function documentedParts(schema: JsonSchema, direction: ExampleContext['direction']): JsonSchema {
  const parts: Record<string, unknown> = {};
  if (schema['properties'] !== undefined) {
    const members = documentedMembers(schema['properties']).map(([name, member]) => [
      name,
      documentedSchema(member, direction, name),
    ]);
    parts['properties'] = Object.fromEntries(members);
  }
  for (const keyword of ['items', 'additionalProperties']) {
    if (typeof schema[keyword] === 'object') parts[keyword] = documentedSchema(schema[keyword], direction);
  }
  if (Array.isArray(schema['anyOf']))
    parts['anyOf'] = schema['anyOf'].map((option) => documentedSchema(option, direction));
  return parts;
}
