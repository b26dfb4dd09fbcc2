import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

type Schema = {
  readonly description?: string;
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
};
type Operation = { readonly summary: string; readonly description: string };

const document = JSON.parse(readFileSync(new URL('../../docs/reference/openapi.json', import.meta.url), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

test('each member of each schema of the OpenAPI document has a description', () => {
  const { schemas } = document.components;
  const descriptionOf = ({ description, $ref, anyOf = [] }: Schema): string | undefined => {
    const named = $ref === undefined ? undefined : schemas[$ref.slice($ref.lastIndexOf('/') + 1)];
    return description ?? named?.description ?? anyOf.map(descriptionOf).find((text) => text !== undefined);
  };
  const undescribed = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties)
      .filter(([, member]) => !/^\S.+\.$/s.test(descriptionOf(member) ?? ''))
      .map(([member]) => `${name}.${member}`),
  );
  assert.deepEqual(undescribed, []);
});

test('each operation has a summary of at most 12 words and a description of whole sentences', () => {
  for (const { summary, description } of Object.values(document.paths).flatMap(Object.values<Operation>)) {
    assert.match(summary, /^[A-Z][^.]+$/);
    assert.ok(summary.split(' ').length <= 12, summary);
    assert.match(description, /^[A-Z].+\.$/s);
  }
});
