import { type Static, Type } from 'typebox';
import { Check } from 'typebox/schema';
import { datePattern } from '../birth-date.ts';
import { longestClaim } from '../claims.ts';
import { keysToKeep } from '../names/name-key.ts';
import type { FormerField } from './import-fields.ts';

const text = Type.Optional(Type.String({ minLength: 1, maxLength: longestClaim, pattern: '\\S' }));
const span = {
  from: Type.Optional(Type.String({ pattern: datePattern, maxLength: 10 })),
  until: Type.Optional(Type.String({ pattern: datePattern, maxLength: 10 })),
};
const closed = { additionalProperties: false } as const;
/** As many former values of a kind are kept of a person. */
const most = { maxItems: 10 } as const;

const formerNames = Type.Array(Type.Object({ givenName: text, familyName: text, ...span }, closed), most);
const formerAddresses = Type.Array(
  Type.Object({ streetAddress: text, postalCode: text, locality: text, country: text, ...span }, closed),
  most,
);
const lists = { formerNames, formerAddresses } as const;

/** Former values as a row holds them: the text to keep, null for none, and the keys by which they are searched. */
export type Former = { readonly kept: string | null; readonly keys: readonly string[] };

/** Reads such a list from its JSON; undefined where it is not one. */
export function readFormer(field: FormerField, written: string): Former | undefined {
  if (written.trim() === '') return { kept: null, keys: [] };
  let read: unknown;
  try {
    read = JSON.parse(written);
  } catch (fault) {
    if (fault instanceof SyntaxError) return undefined;
    throw fault;
  }
  if (!Check(lists[field], read)) return undefined;
  const list: Static<(typeof lists)[FormerField]> = read;
  if (list.length === 0) return { kept: null, keys: [] };
  const keys = list.flatMap((one) =>
    'familyName' in one && one.familyName !== undefined ? keysToKeep(one.familyName) : [],
  );
  const kept = JSON.stringify(list);
  return kept.includes('\\u0000') || kept.includes('\ufffd') ? undefined : { kept, keys: [...new Set(keys)] };
}

/** What a row is refused with whose list cannot be read. */
export const formerReasons: Readonly<Record<FormerField, string>> = {
  formerNames: 'formerNames is not a JSON list of at most 10 objects with givenName, familyName, from, until',
  formerAddresses:
    'formerAddresses is not a JSON list of at most 10 objects with streetAddress, postalCode, locality, country, from, until',
};
