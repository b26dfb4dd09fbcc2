import type { RandomSource } from '../support/random-source.ts';

/** A schema of the OpenAPI document; references are resolved when they are used. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Every invented text starts with it, so that the log and the problems can be searched for texts of requests. */
export const canary = 'Zzyxwfuzz';

/** Texts that parsers, databases, pages or logs may read differently. No text is a URL, because the server would call it. */
const hostileTexts = [
  '',
  ' ',
  '\0',
  `${canary}\0`,
  '\r\nset-cookie: x=1',
  '\u202e\u2066\u200f',
  '\ufeff',
  '\ud800',
  '\ufdfa'.repeat(150),
  'a\u0301'.repeat(100),
  '😀'.repeat(60),
  '((name))',
  '((',
  "' or '1'='1",
  '{{7*7}}<%= 7*7 %>',
  '"><script>alert(1)</script>',
  '../../../../etc/passwd',
  '%00%0d%0a%zz',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '-1',
  '1e999',
  '9007199254740993',
  '2026-02-30',
  '0000-00-00',
  '9999-12-31T23:59:60Z',
  '2026-01-01T00:00:00+99:99',
  'cit\u0000izen',
  'x'.repeat(70_000),
] as const;

/** Values of any type, most of them wrong where they are put. */
export function hostileValue(random: RandomSource): unknown {
  const kind = random.below(10);
  if (kind < 5) return random.pick(hostileTexts);
  if (kind === 5) return random.pick([0, -0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER + 2, 2 ** 31, true, false, null]);
  if (kind === 6) return random.pick<unknown>([[], {}, [[]], [null], { '': '' }, { toString: 1 }, { length: -1 }]);
  if (kind === 7) return Array.from({ length: random.pick([2, 101, 5_000]) }, () => canary);
  if (kind === 8) return nested(random.pick([5, 200, 3_000]));
  return `${canary}${String.fromCodePoint(1 + random.below(0xd7fe))}`;
}

function nested(depth: number): unknown {
  let value: unknown = canary;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** How values are chosen. `resolve` follows a `$ref`; `idFor` gives the id of an existing resource for a name, or none. */
export type ValueSource = {
  readonly random: RandomSource;
  readonly resolve: (schema: JsonSchema) => JsonSchema;
  readonly idFor: (name: string) => string | undefined;
};

/** A value for the member or parameter `name` that mostly matches the schema. */
export function valueFor(source: ValueSource, name: string, unresolved: JsonSchema): unknown {
  const { random, resolve } = source;
  const schema = resolve(unresolved);
  const branch = ['oneOf', 'anyOf', 'allOf'].map((key) => schema[key]).find(Array.isArray) as JsonSchema[] | undefined;
  const [first, ...others] = branch ?? [];
  if (first !== undefined && schema['type'] === undefined)
    return valueFor(source, name, random.pick([first, ...others]));
  const known = schema['enum'] ?? schema['x-extensible-enum'];
  if (Array.isArray(known) && known.length > 0) return known[random.below(known.length)];
  if (schema['const'] !== undefined) return schema['const'];
  const types = [schema['type']].flat();
  if (types.includes('object')) return objectFor(source, schema);
  if (types.includes('array')) return arrayFor(source, name, schema);
  if (types.includes('integer') || types.includes('number')) return numberFor(random, schema);
  if (types.includes('boolean')) return random.chance(0.5);
  return source.idFor(name) ?? textFor(random, name, schema);
}

function objectFor(source: ValueSource, schema: JsonSchema): Record<string, unknown> {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const required = new Set([schema['required'] ?? []].flat() as string[]);
  const value: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(properties)) {
    if (required.has(name) || source.random.chance(0.25)) value[name] = valueFor(source, name, member);
  }
  if (Object.keys(properties).length === 0) value['name'] = canary;
  return value;
}

function arrayFor(source: ValueSource, name: string, schema: JsonSchema): unknown[] {
  const items = (schema['items'] ?? { type: 'string' }) as JsonSchema;
  const least = Number(schema['minItems'] ?? 0);
  const most = Math.min(Number(schema['maxItems'] ?? 4), least + 4);
  return Array.from({ length: least + source.random.below(most - least + 1) }, () => valueFor(source, name, items));
}

function numberFor(random: RandomSource, schema: JsonSchema): number {
  const least = Number(schema['minimum'] ?? 0);
  const most = Number(schema['maximum'] ?? 1_000);
  return random.pick([least, most, least + random.below(most - least + 1), least - 1, most + 1]);
}

function textFor(random: RandomSource, name: string, schema: JsonSchema): string {
  const dayOffset = random.pick([-400, -1, 1, 20, 400, 100_000]) * 86_400_000;
  if (schema['format'] === 'date-time') return new Date(Date.now() + dayOffset).toISOString();
  if (/birth/i.test(name)) return random.pick(['1981-04-25', '1981-04', '1981', '1967-02-30', '2199-01-01']);
  // Nothing listens on this port.
  if (schema['format'] === 'uri' || /url/i.test(name))
    return random.pick(['http://127.0.0.1:1/calls', 'ftp:', 'no url']);
  if (/email|address/i.test(name)) return random.pick([`${canary}@example.org`, '+447700900123', canary]);
  if (/language/i.test(name)) return random.pick(['en', 'de', 'pt-PT', canary]);
  if (/timeZone/i.test(name)) return random.pick(['Europe/Lisbon', 'Asia/Kathmandu', canary]);
  const most = Math.min(Number(schema['maxLength'] ?? 40), 30_000);
  const length = random.pick([canary.length, Number(schema['minLength'] ?? 1), most, most + 1]);
  return canary.repeat(Math.ceil(length / canary.length)).slice(0, length);
}
