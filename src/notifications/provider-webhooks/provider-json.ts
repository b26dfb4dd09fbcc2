import { parseJsonLossless } from '../../kernel/parse-json-lossless.ts';

/** Parses JSON of a provider; undefined for invalid JSON. Integers beyond 2^53 become strings, so that an id keeps each digit. */
export function parseProviderJson(text: string): unknown {
  try {
    return parseJsonLossless(text);
  } catch {
    return undefined;
  }
}
