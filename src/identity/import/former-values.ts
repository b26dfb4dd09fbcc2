import { type Static, Type } from 'typebox';
import { Check } from 'typebox/schema';
import { storedNameKeys } from '../names/name-key.ts';
import { datePattern } from '../register/birth-date.ts';
import { maxClaimLength } from '../register/claims.ts';
import type { FormerField } from './import-fields.ts';

const text = Type.Optional(Type.String({ minLength: 1, maxLength: maxClaimLength, pattern: '\\S' }));
const span = {
  from: Type.Optional(Type.String({ pattern: datePattern, maxLength: 10 })),
  until: Type.Optional(Type.String({ pattern: datePattern, maxLength: 10 })),
};
const closed = { additionalProperties: false } as const;
/** As many former values of a kind are kept of a person. */
const listLimit = { maxItems: 10 } as const;

const formerNames = Type.Array(Type.Object({ givenName: text, familyName: text, ...span }, closed), listLimit);
const formerAddresses = Type.Array(
  Type.Object({ streetAddress: text, postalCode: text, locality: text, country: text, ...span }, closed),
  listLimit,
);
const lists = { formerNames, formerAddresses } as const;

/** Former values as a row holds them: the text to keep, null for none, and the keys by which they are searched. */
export type FormerValues = { readonly storedText: string | null; readonly keys: readonly string[] };

/** Reads such a list from its JSON; undefined where it is not one. */
export function parseFormerValues(field: FormerField, text: string): FormerValues | undefined {
  if (text.trim() === '') return { storedText: null, keys: [] };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (fault) {
    if (fault instanceof SyntaxError) return undefined;
    throw fault;
  }
  if (!Check(lists[field], parsed)) return undefined;
  const list: Static<(typeof lists)[FormerField]> = parsed;
  if (list.length === 0) return { storedText: null, keys: [] };
  const keys = list.flatMap((one) =>
    'familyName' in one && one.familyName !== undefined ? storedNameKeys(one.familyName) : [],
  );
  const storedText = JSON.stringify(list);
  return storedText.includes('\\u0000') || storedText.includes('\ufffd')
    ? undefined
    : { storedText, keys: [...new Set(keys)] };
}

/** What a row is refused with whose list cannot be read. */
export const formerReasons: Readonly<Record<FormerField, string>> = {
  formerNames: 'formerNames is not a JSON list of at most 10 objects with givenName, familyName, from, until',
  formerAddresses:
    'formerAddresses is not a JSON list of at most 10 objects with streetAddress, postalCode, locality, country, from, until',
};
