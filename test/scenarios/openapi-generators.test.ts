import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Compile } from 'typebox/schema';
import { openApiPath } from '../support/openapi-linters.ts';
import { type JsonObject as Json, resolveReferences } from '../support/resolve-references.ts';

// The properties of the document on which generators of clients depend.

const { components, ...rest } = JSON.parse(readFileSync(openApiPath, 'utf8')) as Json & { readonly components: Json };
const schemas = components['schemas'] as Readonly<Record<string, Json>>;

/** All objects in a value that is JSON, with their positions. Examples are values, not schemas. */
function within(value: unknown, at = ''): (readonly [at: string, object: Json])[] {
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value).filter(([name]) => name !== 'example' && name !== 'examples');
  return [[at, value as Json], ...members.flatMap(([name, member]) => within(member, `${at}/${name}`))];
}

test('every object schema is a component, and no schema inside another one or at an operation is an object', () => {
  const isObjectSchema = ({ type }: Json) => [type].flat().includes('object');
  const inner = Object.entries(schemas).flatMap(([name, schema]) => within(schema, name).filter(([at]) => at !== name));
  const inline = [...inner, ...within(rest)].filter(([, object]) => isObjectSchema(object)).map(([at]) => at);
  assert.deepEqual(inline, []);
  assert.ok(Object.keys(schemas).length > 50);
});

test('two schemas with the same members have the same name', () => {
  const membersOf = (schema: Json) => JSON.stringify(schema['properties'] ?? schema['additionalProperties']);
  const withMembers = Object.entries(schemas).filter(([, schema]) => schema['additionalProperties'] !== true);
  const groups = Map.groupBy(withMembers, ([, schema]) => membersOf(schema));
  const doubles = [...groups.values()].filter((group) => group.length > 1).map((group) => group.map(([name]) => name));
  assert.deepEqual(doubles, []);
});

test('the document has no member with two spellings, no file with maxLength, and no map with only patternProperties', () => {
  for (const [name, schema] of Object.entries(schemas)) {
    const plain = Object.keys((schema['properties'] ?? {}) as Json).map((member) =>
      member.replaceAll('_', '').toLowerCase(),
    );
    assert.equal(new Set(plain).size, plain.length, name);
  }
  const all = within({ rest, components }).map(([, object]) => object);
  assert.deepEqual(
    all.filter(({ format, maxLength }) => format === 'binary' && maxLength !== undefined),
    [],
  );
  assert.deepEqual(
    all.filter((object) => 'patternProperties' in object),
    [],
  );
});

test('every parameter, header and body has an example that fits its schema', () => {
  const document = resolveReferences({ ...rest, components });
  let count = 0;
  for (const [at, object] of within(document)) {
    const { schema, example, examples } = object;
    if (schema === undefined || at.includes('/components/examples/')) continue;
    count += 1;
    if (examples !== undefined) continue;
    assert.notEqual(example, undefined, `${at} has no example`);
    assert.ok(Compile(schema as Json).Check(example), `the example of ${at} does not fit its schema`);
  }
  assert.ok(count > 500, String(count));
});

test('the form of a deposit is declared before the media types of bytes', () => {
  const types = within(rest).flatMap(([at, object]) =>
    at.endsWith('/requestBody/content') ? [Object.keys(object)] : [],
  );
  const forms = types.filter((names) => names.includes('multipart/form-data'));
  assert.deepEqual(forms, [['multipart/form-data', 'application/pdf', '*/*']]);
});
