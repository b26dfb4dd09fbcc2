import type { Static, TSchema } from 'typebox';
import { Check, Errors } from 'typebox/schema';

type SchemaErrors = ReturnType<typeof Errors>[1];

/**
 * Parses a JSON file of a setting. A TypeError names the place of the first fault. It has no value of the file, which may be a password.
 */
export function parseJsonFile<S extends TSchema>(shape: S, text: string): Static<S> {
  const value = parseJson(text);
  if (Check(shape, value)) return value;
  const [, errors] = Errors(shape, value);
  throw new TypeError(`${errors[0]?.instancePath || 'the file'}: ${problemOf(errors)}`);
}

function problemOf(errors: SchemaErrors): string {
  const [first] = errors;
  // TypeBox reports a member that no schema allows as a value of the schema `false`.
  if (first?.message === 'schema is false') return 'is not a known member';
  if (first?.keyword !== 'const') return first?.message ?? 'is not valid';
  const allowed = errors.flatMap((error) =>
    error.keyword === 'const' && error.instancePath === first.instancePath ? [error.params.allowedValue] : [],
  );
  return `must be one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (fault) {
    if (!(fault instanceof SyntaxError)) throw fault;
    // The message of the parser repeats a part of the text, so only the position is taken from it.
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(fault.message) ?? [];
    throw new TypeError(
      `expected JSON, received ${line === undefined ? 'another text' : `a fault in line ${line}, column ${column}`}`,
    );
  }
}
