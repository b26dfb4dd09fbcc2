import { isObject } from '../../kernel/is-object.ts';
import { memberExamples } from './member-descriptions.ts';

/** A JSON Schema, as data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Whether an example is of a request or a response, and the prefix of its ids. */
export type ExampleContext = {
  readonly direction: 'request' | 'answer';
  readonly group: string;
  readonly idPrefix: string;
};

/** Optional members that the example of a request shows. */
const shownOptionalMembers = new Set(
  'citizenId givenName familyName birthDate subject message reference category'.split(' '),
);
const idTail = '_01M7WKVMFEE008WANFAS9XRDZX';

/** Treats a value as a schema; anything else has no members. */
export function asSchema(value: unknown): JsonSchema {
  return isObject(value) ? value : {};
}

/** Creates an example value that the schema accepts, and that fits the name of the member. */
export function createExample(schema: JsonSchema, name: string, context: ExampleContext): unknown {
  const [first] = listOf(schema['anyOf']);
  if (first !== undefined) return createExample(asSchema(first), name, context);
  if ('const' in schema) return schema['const'];
  const expected = configuredExample(name, context);
  const allowedValues = listOf(schema['enum'] ?? schema['x-extensible-enum']);
  if (allowedValues.length > 0) return allowedValues.includes(expected) ? expected : allowedValues[0];
  const [type = schema['type']] = listOf(schema['type']);
  switch (type) {
    case 'object':
      return Object.fromEntries(
        membersOf(schema, context).map(([key, member]) => [key, createExample(asSchema(member), key, context)]),
      );
    case 'array':
      return [createExample(asSchema(schema['items']), name, context)];
    case 'integer':
      return Number(expected ?? Math.max(1, Number(schema['minimum'] ?? 1)));
    case 'boolean':
      return expected ?? true;
    default:
      return exampleText(schema, name, context);
  }
}

function configuredExample(name: string, { group }: ExampleContext) {
  return memberExamples[`${group}.${name}`] ?? memberExamples[name];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function membersOf(schema: JsonSchema, { direction }: ExampleContext): [string, unknown][] {
  const required = new Set(listOf(schema['required']));
  return Object.entries(asSchema(schema['properties'])).filter(
    ([name]) => direction === 'answer' || required.has(name) || shownOptionalMembers.has(name),
  );
}

function exampleText(schema: JsonSchema, name: string, context: ExampleContext): string {
  const kind = /^\^([a-z]{3})_\[0-7\]/.exec(String(schema['pattern'] ?? ''))?.[1];
  if (kind !== undefined) return `${kind}${idTail}`;
  if (name === 'id' || name === 'next') return `${context.idPrefix}${idTail}`;
  return String(
    configuredExample(name, context) ?? (schema['format'] === 'date-time' ? '2026-11-20T09:30:00.000Z' : 'text'),
  );
}
