/** Checks the OpenAPI document with IBM's validator, whose rules about names say what generators cannot use. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openApiPath } from '../support/openapi-linters.ts';
import { makeGeneratorFolder } from './generated-client.ts';

const document = readFileSync(openApiPath, 'utf8');

test("IBM's validator finds no inline schema and no duplicate property name in the OpenAPI document", async () => {
  assert.deepEqual(await ibmRulesBroken(document), []);
});

test("IBM's validator finds an inline schema and a duplicate property name that were added", async () => {
  const planted = JSON.parse(document) as Planted;
  const { properties } = planted.components.schemas['SendNotificationBody'] ?? assert.fail();
  properties['citizen_id'] = { type: 'string' };
  properties['inline'] = { type: 'object', properties: { one: { type: 'string' } } };
  const broken = ['ibm-avoid-inline-schemas', 'ibm-avoid-property-name-collision'];
  assert.deepEqual(await ibmRulesBroken(JSON.stringify(planted)), broken);
});

type Planted = {
  readonly components: { readonly schemas: Record<string, { readonly properties: Record<string, unknown> }> };
};

type Finding = { readonly rule: string; readonly path: readonly string[] };

/** The names of the rules that IBM's validator reports as broken. */
async function ibmRulesBroken(text: string): Promise<readonly string[]> {
  const folder = makeGeneratorFolder({ 'openapi.json': text });
  after(folder.remove);
  // The validator ends with 1 if it has findings; a shell hides that.
  const command = 'lint-openapi --json --ruleset ibm.yaml openapi.json > findings.json || test $? -eq 1';
  await folder.run('sh', ['-c', command]);
  const printed = JSON.parse(readFileSync(join(folder.path, 'findings.json'), 'utf8')) as Readonly<
    Record<'error' | 'warning', { readonly results: readonly Finding[] }>
  >;
  const findings = [...printed.error.results, ...printed.warning.results];
  const open = findings.filter(({ path }) => {
    const schema = schemaAt(JSON.parse(text), path);
    return !isNullableReference(schema) && !isAnyValue(schema);
  });
  return [...new Set(open.map(({ rule }) => rule))].sort();
}

function schemaAt(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  return name === undefined ? value : schemaAt(Object(value)[name], rest);
}

/** Whether a schema permits any JSON value. The validator takes it for an object without a name. */
function isAnyValue(schema: unknown): boolean {
  return Object.keys(Object(schema)).every((name) => name === 'description');
}

/** Whether a schema is a reference or null. The validator takes both this and its `type: null` for an object without a name. */
function isNullableReference(schema: unknown): boolean {
  const { anyOf = [], type } = Object(schema) as { readonly anyOf?: readonly object[]; readonly type?: unknown };
  return type === 'null' || (anyOf.length > 0 && anyOf.every((one) => '$ref' in one || isNullableReference(one)));
}
