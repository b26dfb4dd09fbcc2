import type { Static, TSchema } from 'typebox';
import { Check, Errors } from 'typebox/schema';

/** Parses a JSON file of a setting. A TypeError names the first wrong member, and no value, which may be a password. */
export function parseJsonFile<S extends TSchema>(shape: S, text: string): Static<S> {
  const value: unknown = JSON.parse(text);
  if (Check(shape, value)) return value;
  const [, [first]] = Errors(shape, value);
  // TypeBox reports a member that no schema allows as a value of the schema `false`.
  const problem = first?.message === 'schema is false' ? 'is not a known member' : first?.message;
  throw new TypeError(`${first?.instancePath || 'the file'}: ${problem ?? 'is not valid'}`);
}
