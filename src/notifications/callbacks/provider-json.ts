import { parseUnrounded } from '../../kernel/unrounded-json.ts';

/** What a provider wrote as JSON; undefined where it is none. */
export function parseProviderJson(text: string): unknown {
  try {
    return parseUnrounded(text);
  } catch {
    return undefined;
  }
}
