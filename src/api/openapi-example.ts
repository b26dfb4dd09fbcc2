import { isObject } from '../kernel/is-object.ts';
import { examples } from './openapi-words.ts';

/** A JSON Schema, as data. */
export type Schema = Readonly<Record<string, unknown>>;

/** What an example is of: a request or an answer of such operations, about a thing whose ids begin so. */
export type Shown = { readonly of: 'request' | 'answer'; readonly group: string; readonly idPrefix: string };

/** What an example of a request holds of the members that may be left out. */
const worthShowing = new Set('citizenId givenName familyName birthDate subject message reference category'.split(' '));
const idTail = '_01M7WKVMFEE008WANFAS9XRDZX';

/** The members of what ought to be a schema. */
export function schemaOf(value: unknown): Schema {
  return isObject(value) ? value : {};
}

/** A value that this schema takes, with what one would expect under that name: the examples of the OpenAPI document. */
export function exampleOf(schema: Schema, name: string, shown: Shown): unknown {
  const [first] = listOf(schema['anyOf']);
  if (first !== undefined) return exampleOf(schemaOf(first), name, shown);
  if ('const' in schema) return schema['const'];
  const expected = expectedOf(name, shown);
  const choices = listOf(schema['enum'] ?? schema['x-extensible-enum']);
  if (choices.length > 0) return choices.includes(expected) ? expected : choices[0];
  const [type = schema['type']] = listOf(schema['type']);
  switch (type) {
    case 'object':
      return Object.fromEntries(
        membersOf(schema, shown).map(([key, member]) => [key, exampleOf(schemaOf(member), key, shown)]),
      );
    case 'array':
      return [exampleOf(schemaOf(schema['items']), name, shown)];
    case 'integer':
      return Number(expected ?? Math.max(1, Number(schema['minimum'] ?? 1)));
    case 'boolean':
      return expected ?? true;
    default:
      return textOf(schema, name, shown);
  }
}

function expectedOf(name: string, { group }: Shown) {
  return examples[`${group}.${name}`] ?? examples[name];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function membersOf(schema: Schema, { of }: Shown): [string, unknown][] {
  const required = new Set(listOf(schema['required']));
  return Object.entries(schemaOf(schema['properties'])).filter(
    ([name]) => of === 'answer' || required.has(name) || worthShowing.has(name),
  );
}

function textOf(schema: Schema, name: string, shown: Shown): string {
  const kind = /^\^([a-z]{3})_\[0-7\]/.exec(String(schema['pattern'] ?? ''))?.[1];
  if (kind !== undefined) return `${kind}${idTail}`;
  if (name === 'id' || name === 'next') return `${shown.idPrefix}${idTail}`;
  return String(expectedOf(name, shown) ?? (schema['format'] === 'date-time' ? '2026-11-20T09:30:00.000Z' : 'text'));
}
