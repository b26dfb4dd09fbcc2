import fc, { type Arbitrary } from 'fast-check';

/** A JSON Schema of the OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The part of a request that holds a value. It limits the value: a header allows no line break, a query no nested list. */
export type ValuePosition = 'body' | 'query' | 'path' | 'header';

const maxGeneratedLength = 60;

/** Values that match this schema. Members with a known name sometimes get a value that exists in the demo. */
export function validValue(schema: JsonSchema, position: ValuePosition, name = ''): Arbitrary<unknown> {
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
  const patterns = Object.entries(asSchema(schema['patternProperties']));
  if (patterns.length > 0) {
    const [pattern = '', value] = patterns[0] ?? [];
    return fc.dictionary(fc.stringMatching(new RegExp(pattern)), validValue(asSchema(value), position), { maxKeys: 3 });
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

/** The values as the server reads them from a URL, where a number is a text of digits. */
export function asReadFromUrl(
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
export function mostlyInvalidValue(
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
