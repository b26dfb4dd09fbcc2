import { parseJsonLossless } from '../../kernel/parse-json-lossless.ts';

/** What a provider wrote as JSON; undefined where it is none. */
export function parseProviderJson(text: string): unknown {
  try {
    return parseJsonLossless(text);
  } catch {
    return undefined;
  }
}
