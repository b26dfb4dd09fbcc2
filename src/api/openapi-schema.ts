import { exampleOf, type Schema, type Shown, schemaOf } from './openapi-example.ts';
import { explanations } from './openapi-words.ts';

/** What no text, list or number of the interface goes beyond where its own schema sets no bound. */
const bounds = { text: 1_048_576, items: 10_000, number: Number.MAX_SAFE_INTEGER } as const;

/** Neither engine stores U+0000, and no text with it is taken (parse.ts). */
const anyText = '^[^\\u0000]*$';

/**
 * A schema as the OpenAPI document shows it: the same values, in the form that generators of clients read best. A choice
 * of constants becomes an enumeration, `or null` a list of types; every text, list and number has a bound.
 */
export function documented(given: unknown, of: Shown['of'], name = ''): Schema {
  const schema = of === 'answer' ? opened(merged(schemaOf(given))) : merged(schemaOf(given));
  const described = schema['description'] ?? explanations[name];
  return {
    ...(described === undefined ? {} : { description: described }),
    ...schema,
    ...boundsOf(schema),
    ...partsOf(schema, of),
  };
}

/** The same, with an example of one whole value. */
export function withExample(given: unknown, shown: Shown): { schema: Schema; example: unknown } {
  const schema = documented(given, shown.of);
  return { schema, example: exampleOf(schema, '', shown) };
}

/**
 * The words and members of an answer may become more: what is an enumeration in a request is a list of the words of today
 * here, and no object is closed, or a client made from it would refuse what is new.
 */
function opened({ enum: choices, additionalProperties, ...others }: Schema): Schema {
  const isClosed = additionalProperties === undefined || additionalProperties === false;
  const rest = isClosed ? others : { ...others, additionalProperties };
  if (!Array.isArray(choices)) return { ...rest, ...(choices === undefined ? {} : { enum: choices }) };
  return { ...rest, 'x-extensible-enum': choices.filter((choice) => choice !== null), ...aWord };
}

const aWord = { maxLength: 64, pattern: '^[A-Za-z0-9][A-Za-z0-9_.:-]*$' } as const;

function merged(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const options = anyOf.map((option) => merged(schemaOf(option)));
  const [only, ...others] = options.filter((option) => option['type'] !== 'null');
  if (only === undefined) return schema;
  const nullable = others.length + 1 < options.length;
  if (others.length === 0) return { ...only, ...rest, ...(nullable ? orNull(only) : {}) };
  if (![only, ...others].every((option) => typeof option['const'] === 'string')) return { ...rest, anyOf: options };
  const choices = { type: 'string', enum: [only, ...others].map((option) => option['const']) };
  return { ...rest, ...choices, ...(nullable ? orNull(choices) : {}) };
}

function orNull({ type, enum: choices }: Schema): Schema {
  return {
    type: [...(Array.isArray(type) ? type : [type]), 'null'],
    ...(Array.isArray(choices) ? { enum: [...choices, null] } : {}),
  };
}

function boundsOf(schema: Schema): Schema {
  const { type, format, pattern, maxLength, maxItems, minimum, maximum } = schema;
  const is = (name: string) => (Array.isArray(type) ? type.includes(name) : type === name);
  if ('enum' in schema || 'const' in schema) return {};
  if (is('string')) {
    return {
      maxLength: maxLength ?? bounds.text,
      ...(format === undefined && pattern === undefined ? { pattern: anyText } : {}),
    };
  }
  if (is('integer')) return { format: 'int64', minimum: minimum ?? 0, maximum: maximum ?? bounds.number };
  if (is('array')) return { maxItems: maxItems ?? bounds.items };
  return {};
}

function partsOf(schema: Schema, of: Shown['of']): Schema {
  const parts: Record<string, unknown> = {};
  for (const keyword of ['properties', 'patternProperties']) {
    if (schema[keyword] === undefined) continue;
    const members = Object.entries(schemaOf(schema[keyword]));
    parts[keyword] = Object.fromEntries(members.map(([name, member]) => [name, documented(member, of, name)]));
  }
  for (const keyword of ['items', 'additionalProperties']) {
    if (typeof schema[keyword] === 'object') parts[keyword] = documented(schema[keyword], of);
  }
  if (Array.isArray(schema['anyOf'])) parts['anyOf'] = schema['anyOf'].map((option) => documented(option, of));
  return parts;
}
