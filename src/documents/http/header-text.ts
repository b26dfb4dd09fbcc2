import type { Caller } from '../../auth/caller.ts';
import { citizenIdPattern } from '../../kernel/id.ts';
import { percentDecode } from '../../kernel/percent-decode.ts';
import { type Refusal, refuse, refuseIssues } from '../../kernel/refusal.ts';
import { singleLinePattern } from '../../kernel/single-line-text.ts';

/** The pattern of header values: printable ASCII. */
export const visibleAsciiPattern = '^[ -~]+$';

/** The most characters of a header with a line of 200 characters: four bytes each, three characters for each byte. */
export const maxEncodedLineLength = 2_400;

/** How headers carry text outside of ASCII; part of their descriptions. */
export const encodedTextNote =
  'The value is percent-encoded UTF-8 (encodeURIComponent). Plain ASCII without % needs no encoding.';

/**
 * Decodes one line of text from a header. Undefined if it is too long, not UTF-8, or has characters that a line does not show.
 */
export function decodeLine(encoded: string, mostCharacters: number): string | undefined {
  return lineMatching(percentDecode(encoded)?.normalize('NFC'), mostCharacters, singleLinePattern);
}

/** Decodes the id of a citizen from a header without normalising it, or undefined. */
export function decodeCitizenId(encoded: string, mostCharacters: number): string | undefined {
  return lineMatching(percentDecode(encoded), mostCharacters, citizenIdPattern);
}

function lineMatching(text: string | undefined, mostCharacters: number, pattern: RegExp): string | undefined {
  const line = text?.trim() ?? '';
  return [...line].length <= mostCharacters && pattern.test(line) ? line : undefined;
}

/** The refusal for a purpose that is not among the agreed purposes of this client. */
export function refusalOfPurpose({ purposes }: Pick<Caller, 'purposes'>, purpose: string | undefined) {
  const agreed = purpose === undefined || purposes === undefined || purposes.has(purpose);
  return agreed ? undefined : refuse('purpose-not-permitted');
}

/** Decodes and checks the purpose in a header. */
export function parsePurpose(
  header: string | undefined,
  caller: Pick<Caller, 'purposes'>,
): { readonly purpose: string | undefined } | { readonly refusal: Refusal } {
  const purpose = header === undefined ? undefined : decodeLine(header, 200);
  const refusal = refusalOfPurpose(caller, purpose);
  if (refusal !== undefined) return { refusal };
  if (header === undefined || purpose !== undefined) return { purpose };
  const detail = 'must be percent-encoded UTF-8 of 1 to 200 printable characters';
  return {
    refusal: refuseIssues([{ in: 'header', name: 'purpose', code: 'malformed', detail }]),
  };
}
