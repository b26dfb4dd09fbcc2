import { type Static, Type } from 'typebox';
import { Check } from 'typebox/schema';
import { removeInvisible } from '../../kernel/invisible-characters.ts';
import { storedNameKeys } from '../names/name-key.ts';
import { datePattern } from '../register/birth-date.ts';
import { decomposesTooLong, maxClaimLength } from '../register/claims.ts';
import type { FormerField } from './import-fields.ts';

const text = Type.Optional(Type.String({ minLength: 1, maxLength: maxClaimLength, pattern: '\\S' }));
const span = {
  from: Type.Optional(Type.String({ pattern: datePattern, maxLength: 10 })),
  until: Type.Optional(Type.String({ pattern: datePattern, maxLength: 10 })),
};
const closed = { additionalProperties: false } as const;
const listLimit = { maxItems: 10 } as const;

const formerNames = Type.Array(Type.Object({ givenName: text, familyName: text, ...span }, closed), listLimit);
const formerAddresses = Type.Array(
  Type.Object({ streetAddress: text, postalCode: text, locality: text, country: text, ...span }, closed),
  listLimit,
);
const lists = { formerNames, formerAddresses } as const;

/** The former values of a row: the text to store (null for none) and the search keys. */
type FormerValues = { readonly storedText: string | null; readonly keys: readonly string[] };

/** Reads a list of former values from JSON; undefined if it is not valid. */
export function parseFormerValues(field: FormerField, text: string): FormerValues | undefined {
  if (text.trim() === '') return { storedText: null, keys: [] };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text, (_, value) => (typeof value === 'string' ? removeInvisible(value) : value));
  } catch (fault) {
    if (fault instanceof SyntaxError) return undefined;
    throw fault;
  }
  if (!Check(lists[field], parsed)) return undefined;
  const list: Static<(typeof lists)[FormerField]> = parsed;
  if (list.some((value) => Object.values(value).some(decomposesTooLong))) return undefined;
  if (list.length === 0) return { storedText: null, keys: [] };
  const keys = list.flatMap((value) =>
    'familyName' in value && value.familyName !== undefined ? storedNameKeys(value.familyName) : [],
  );
  const storedText = JSON.stringify(list);
  return storedText.includes('\\u0000') || storedText.includes('\ufffd')
    ? undefined
    : { storedText, keys: [...new Set(keys)] };
}

/** The reason for refusing a row whose list `parseFormerValues` cannot read. */
export const formerReasons: Readonly<Record<FormerField, string>> = {
  formerNames: 'formerNames is not a JSON list of at most 10 objects with givenName, familyName, from, until',
  formerAddresses:
    'formerAddresses is not a JSON list of at most 10 objects with streetAddress, postalCode, locality, country, from, until',
};
