import { isObject } from '../../kernel/is-object.ts';

/** What stands in an operator's file of JSON; its faults are TypeErrors that show no value of it. */
export function parseMappingJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TypeError('expected JSON');
  }
}

/** The members of an object that may have these and no others; `place` is where it stands, empty for the whole file. */
export function parseMembers(value: unknown, place: string, known: readonly string[]): Record<string, unknown> {
  const where = place === '' ? '' : `${place}: `;
  if (!isObject(value)) throw new TypeError(`${where}expected a JSON object`);
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new TypeError(`${where}no member is called ${unknown.join(', ')}`);
  return value;
}

/** A place in what the provider sends, as a JSON pointer (RFC 6901). */
export function parsePointer(value: unknown, place: string): string {
  if (typeof value === 'string' && /^(?:\/.*)?$/.test(value)) return value;
  throw new TypeError(`${place}: expected a JSON pointer, as /event`);
}

/** Words of the provider, none where the member is not there. No word is empty, since that is what is not sent. */
export function parseWords(value: unknown, place: string): readonly string[] {
  const words: unknown = value ?? [];
  if (Array.isArray(words) && words.every((word): word is string => typeof word === 'string' && word !== ''))
    return words;
  throw new TypeError(`${place}: expected a list of words`);
}
