import { memoize } from './lru-cache.ts';

/** What canonical JSON can hold; numbers must be finite, strings well formed. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined };

/**
 * JSON in the one form that two programs agree on byte for byte (RFC 8785): members sorted by UTF-16 code units, no
 * blanks, ECMAScript numbers. Members that are undefined are left out. Throws on what has no canonical form.
 */
export function canonicalJson(value: Json): string {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('canonical JSON has no form for a number that is not finite');
    return JSON.stringify(value);
  }
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new TypeError('canonical JSON has no form for a lone surrogate');
    return JSON.stringify(value);
  }
  if (value === null || typeof value === 'boolean') return String(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  let members = '';
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member !== undefined)
      members += `${members === '' ? '' : ','}${quotedMemberName(name)}${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

/** The names of members come again and again; of others than ours there may be any number. */
const quotedMemberName = memoize(500, (name) => `${canonicalJson(name)}:`);

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
