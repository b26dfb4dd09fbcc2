import { asSchema, type JsonSchema } from './example.ts';

/** Collects the object schemas of the document under their names. */
export type SchemaComponents = {
  /** Moves each object schema of a schema to the components, and returns the schema with references to them. */
  refer(schema: JsonSchema, name: string): JsonSchema;
  /** The collected schemas, sorted by name. */
  schemas(): Readonly<Record<string, JsonSchema>>;
};

/** Two different schemas have the same name. Give one of them another `$id`. */
class SchemaNameTaken extends Error {
  override readonly name = 'SchemaNameTaken';
}

/**
 * Creates an empty collection. The name of a schema is its `$id`. A schema without one has the name of an equal schema before it, or
 * the name of the schema that contains it, and that of its member. So no later operation changes an existing name.
 */
export function createSchemaComponents(): SchemaComponents {
  const found = new Map<string, JsonSchema>();
  const names = new Map<string, string>();

  const add = (name: string, schema: JsonSchema): JsonSchema => {
    const existing = found.get(name);
    if (existing !== undefined && JSON.stringify(existing) !== JSON.stringify(schema))
      throw new SchemaNameTaken(`two different schemas have the name ${name}: give one of them another $id`);
    found.set(name, schema);
    const text = JSON.stringify(schema);
    names.set(text, names.get(text) ?? name);
    return { $ref: `#/components/schemas/${name}` };
  };

  const refer = ({ $id, ...own }: JsonSchema, name: string): JsonSchema => {
    const title = typeof $id === 'string' ? $id : name;
    const schema = referParts(own, title, refer);
    const types = [schema['type']].flat();
    if (!types.includes('object')) return schema;
    const named = { ...schema, type: 'object' };
    const earlier = typeof $id === 'string' ? undefined : names.get(JSON.stringify(named));
    const reference = add(earlier ?? title, named);
    return types.includes('null') ? { anyOf: [reference, { type: 'null' }] } : reference;
  };

  return { refer, schemas: () => Object.fromEntries([...found].sort(([left], [right]) => (left < right ? -1 : 1))) };
}

function referParts(schema: JsonSchema, name: string, refer: SchemaComponents['refer']): JsonSchema {
  const { properties, items, additionalProperties } = schema;
  const members = Object.entries(asSchema(properties)).map(([key, member]) => [
    key,
    refer(asSchema(member), `${name}${capitalize(key)}`),
  ]);
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(members) }),
    ...(items === undefined ? {} : { items: refer(asSchema(items), `${name}Item`) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: refer(asSchema(additionalProperties), `${name}Value`) }
      : {}),
  };
}

/** The name with an upper-case first letter. */
export function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
