import type { LockedEndpoint } from '../src/api/endpoint-register.ts';
import { canonicalJson, type Json } from '../src/kernel/canonical-json.ts';

/**
 * Lists the breaking changes of the new register for clients of the old one, one sentence each. An entry may not disappear, move
 * or require more; a response may not lose a member or change its type.
 */
export function breakingChanges(old: readonly LockedEndpoint[], now: readonly LockedEndpoint[]): string[] {
  const found: string[] = [];
  for (const [index, before] of old.entries()) {
    const after = now[index];
    if (after === undefined || after.name !== before.name) {
      found.push(`${before.name} is not at its place ${index + 1}: entries are appended, never removed or reordered`);
      continue;
    }
    const label = `${before.method} ${before.path}`;
    for (const member of ['method', 'path', 'scope', 'since'] as const) {
      if (before[member] !== after[member]) found.push(`${label}: ${member} changed`);
    }
    const refused = before.callers.filter((kind) => !after.callers.includes(kind));
    if (refused.length > 0) found.push(`${label}: no longer for ${refused.join(' and ')}`);
    for (const part of ['params', 'query', 'headers', 'body']) {
      found.push(...narrowed(`${label} ${part}`, memberOf(before.request, part), memberOf(after.request, part)));
    }
    for (const status of Object.keys(asObject(before.responses))) {
      found.push(
        ...widened(`${label} ${status}`, memberOf(before.responses, status), memberOf(after.responses, status)),
      );
    }
  }
  return found;
}

type JsonObject = { readonly [name: string]: Json | undefined };

function asObject(value: Json | undefined): JsonObject {
  // The callers handle lists themselves, because schemas nest objects only.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return asObject(value)[name];
}

function namesIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The values of an enumeration; undefined when every value of the type is allowed. */
function choicesOf(schema: Json | undefined): readonly string[] | undefined {
  const { enum: list, anyOf } = asObject(schema);
  if (Array.isArray(list)) return list.map(String);
  if (!Array.isArray(anyOf)) return undefined;
  return anyOf.map((option) => canonicalJson(memberOf(option, 'const') ?? withoutDescriptions(option)));
}

/** A schema without its descriptions, which do not change the accepted values. */
function withoutDescriptions(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === undefined || name === 'description' ? [] : [[name, withoutDescriptions(member)]],
    ),
  );
}

/** Lists what a request schema no longer accepts. */
function narrowed(label: string, before: Json | undefined, after: Json | undefined): string[] {
  if (before === undefined || before === null) {
    return namesIn(memberOf(after, 'required')).map((name) => `${label}: ${name} became required`);
  }
  if (after === undefined || after === null) return [`${label} is gone`];
  const found: string[] = [];
  if (memberOf(before, 'type') !== memberOf(after, 'type')) found.push(`${label}: type changed`);
  const required = namesIn(memberOf(before, 'required'));
  for (const name of namesIn(memberOf(after, 'required'))) {
    if (!required.includes(name)) found.push(`${label}: ${name} became required`);
  }
  for (const bound of ['maxLength', 'maxItems', 'maximum', 'minLength', 'minItems', 'minimum']) {
    const [old, now] = [memberOf(before, bound), memberOf(after, bound)];
    const isNarrower = (was: number, is: number) => (bound.startsWith('max') ? is < was : is > was);
    if (typeof now === 'number' && (typeof old !== 'number' || isNarrower(old, now)))
      found.push(`${label}: ${bound} is narrower`);
  }
  if (memberOf(after, 'pattern') !== undefined && memberOf(before, 'pattern') !== memberOf(after, 'pattern')) {
    found.push(`${label}: pattern changed`);
  }
  const now = choicesOf(after);
  if (now !== undefined && !(choicesOf(before) ?? ['']).every((choice) => now.includes(choice)))
    found.push(`${label}: takes fewer values`);
  for (const [name, schema] of Object.entries(asObject(memberOf(before, 'properties')))) {
    found.push(...narrowed(`${label}/${name}`, schema, memberOf(memberOf(after, 'properties'), name)));
  }
  if (memberOf(before, 'items') !== undefined)
    found.push(...narrowed(`${label}[]`, memberOf(before, 'items'), memberOf(after, 'items')));
  return found;
}

/** The schemas of a union, or the schema itself. */
function optionsOf(schema: Json): readonly Json[] {
  const { anyOf } = asObject(schema);
  return Array.isArray(anyOf) ? anyOf.flatMap(optionsOf) : [schema];
}

const typesOf = (options: readonly Json[]) => [...new Set(options.map((one) => String(memberOf(one, 'type'))))].sort();

/** Lists what a response no longer contains. New members and new values of an enumeration are allowed. */
function widened(label: string, before: Json | undefined, after: Json | undefined): string[] {
  if (before === undefined || before === null) return [];
  if (after === undefined || after === null) return [`${label} is gone`];
  const [old, now] = [optionsOf(before), optionsOf(after)];
  if (typesOf(old).join() !== typesOf(now).join()) return [`${label}: type changed`];
  return old.flatMap((option) => {
    const [fewest = []] = now
      .map((one) => lostMembers(label, option, one))
      .sort((left, right) => left.length - right.length);
    return fewest;
  });
}

function lostMembers(label: string, before: Json, after: Json): string[] {
  const found: string[] = [];
  const required = namesIn(memberOf(after, 'required'));
  for (const name of namesIn(memberOf(before, 'required'))) {
    if (!required.includes(name)) found.push(`${label}: ${name} is no longer required`);
  }
  for (const [name, schema] of Object.entries(asObject(memberOf(before, 'properties')))) {
    found.push(...widened(`${label}/${name}`, schema, memberOf(memberOf(after, 'properties'), name)));
  }
  if (memberOf(before, 'items') !== undefined)
    found.push(...widened(`${label}[]`, memberOf(before, 'items'), memberOf(after, 'items')));
  return found;
}
