import fc, { type Arbitrary } from 'fast-check';

/** A JSON Schema, as the OpenAPI document has it. */
export type Schema = Readonly<Record<string, unknown>>;

/** Where a value stands decides what can be written there: a header takes no line break, a query no nested list. */
export type Place = 'body' | 'query' | 'path' | 'header';

const longest = 60;

/** Values that this schema takes. Names that mean something get what they mean now and then. */
export function valid(schema: Schema, place: Place, name = ''): Arbitrary<unknown> {
  const choices = listOf(schema['enum']);
  if (choices.length > 0) return fc.constantFrom(...choices);
  const types = listOf(schema['type']).length > 0 ? listOf(schema['type']) : [schema['type']];
  return fc.oneof(...types.map((type) => ofType(String(type), schema, { place, name })));
}

function ofType(type: string, schema: Schema, { place, name }: { place: Place; name: string }): Arbitrary<unknown> {
  switch (type) {
    case 'object':
      return record(schema, place);
    case 'array':
      return list(schema, place, name);
    case 'integer':
      return fc.integer({
        min: number(schema, 'minimum', 0),
        max: Math.min(number(schema, 'maximum', 1_000), 2 ** 31 - 1),
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return text(schema, place, name);
  }
}

function record(schema: Schema, place: Place): Arbitrary<unknown> {
  const members = Object.entries(objectOf(schema['properties']));
  const patterns = Object.entries(objectOf(schema['patternProperties']));
  if (patterns.length > 0) {
    const [pattern = '', value] = patterns[0] ?? [];
    return fc.dictionary(fc.stringMatching(new RegExp(pattern)), valid(objectOf(value), place), { maxKeys: 3 });
  }
  const requiredKeys = listOf(schema['required']).map(String);
  const model = Object.fromEntries(members.map(([name, member]) => [name, valid(objectOf(member), place, name)]));
  return fc.record(model, { requiredKeys });
}

function list(schema: Schema, place: Place, name: string): Arbitrary<unknown> {
  const bounds = { minLength: number(schema, 'minItems', 0), maxLength: Math.min(number(schema, 'maxItems', 5), 5) };
  const item = valid(objectOf(schema['items']), place, name);
  return schema['uniqueItems'] === true ? fc.uniqueArray(item, bounds) : fc.array(item, bounds);
}

const meaning: Readonly<Record<string, Arbitrary<string>>> = {
  citizenId: fc.constantFrom('demo-mary', 'demo-layla', 'demo-anh'),
  url: fc.constantFrom('http://127.0.0.1:1/calls', 'https://127.0.0.1:1/', 'http://[::1]:1/x?y=z'),
};

function text(schema: Schema, place: Place, name: string): Arbitrary<string> {
  const [min, max] = [number(schema, 'minLength', 0), Math.min(number(schema, 'maxLength', longest), longest)];
  const known = meaning[name];
  const any = schema['format'] === 'date-time' ? instant : patterned(schema, place, { min, max });
  return known === undefined ? any : fc.oneof(known, any);
}

const instant = fc
  .date({ min: new Date('2020-01-01T00:00:00Z'), max: new Date('2030-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

const anything = '^[^\\u0000]*$';

function patterned(schema: Schema, place: Place, { min, max }: { min: number; max: number }): Arbitrary<string> {
  const pattern = new RegExp(String(schema['pattern'] ?? anything), 'u');
  const minLength = place === 'path' ? Math.max(1, min) : min;
  const unit = place === 'header' ? ('grapheme-ascii' as const) : ('grapheme' as const);
  const plain = fc.string({ unit, minLength, maxLength: max });
  // Of a choice of any text more is found by any text than by the expression that allows it.
  const made = pattern.source === anything ? plain : fc.oneof(fc.stringMatching(pattern), plain);
  return made.filter((value) => {
    const { length } = [...value];
    const writable = place !== 'header' || (/^[ -~]*$/.test(value) && value.trim() === value && value !== '');
    return pattern.test(value) && length >= minLength && length <= max && writable;
  });
}

/** What a server can read of values that stand in a URL: there a number is a text of digits. */
export function asRead(schema: Schema, value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const members = objectOf(schema['properties']);
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => {
      const isNumber = objectOf(members[name])['type'] === 'integer' && /^-?\d{1,15}$/.test(String(text));
      return [name, isNumber ? Number(text) : text];
    }),
  );
}

/** A change that mostly makes a value of this schema one that it does not take; whoever uses it has to ask the schema. */
export function spoiled(schema: Schema, value: Readonly<Record<string, unknown>>, place: Place): Arbitrary<unknown> {
  const members = Object.entries(objectOf(schema['properties']));
  const without = listOf(schema['required'])
    .map(String)
    .map((gone) => fc.constant(Object.fromEntries(Object.entries(value).filter(([name]) => name !== gone))));
  const unknown = fc.stringMatching(/^[a-z]{12,16}$/).map((name) => ({ ...value, [name]: 'x' }));
  const wrong = members.map(([name, member]) =>
    unfit(objectOf(member), place).map((bad) => ({ ...value, [name]: bad })),
  );
  // A path without a name is another path, and headers that nobody knows are nobody's business.
  return fc.oneof(
    ...(place === 'path' ? [] : without),
    ...(place === 'body' || place === 'query' ? [unknown] : []),
    ...wrong,
  );
}

function unfit(schema: Schema, place: Place): Arbitrary<unknown> {
  const tooLong =
    number(schema, 'maxLength', longest) < 3_000 ? ['m'.repeat(number(schema, 'maxLength', longest) + 1)] : [];
  const written = [
    'x'.repeat(40),
    '%',
    '-1',
    '0',
    '99999999999999',
    ...tooLong,
    ...(place === 'header' ? [] : ['', '\u0000', ' ']),
  ];
  const others = place === 'body' ? [null, 4711, -1.5, true, [], [[]], {}, { a: 1 }, '\ud800'] : [];
  return fc.constantFrom<unknown>(...written, ...others);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function objectOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? (value as Schema) : {};
}

function number(schema: Schema, name: string, otherwise: number): number {
  const value = schema[name];
  return typeof value === 'number' ? value : otherwise;
}
