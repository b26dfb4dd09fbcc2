import type { Caller } from '../../auth/caller.ts';
import { citizenIdPattern } from '../../kernel/id.ts';
import { percentDecode } from '../../kernel/percent-decode.ts';
import { type Refusal, refuse, refuseIssues } from '../../kernel/refusal.ts';

/** The pattern of a header's text: what HTTP carries safely, printable ASCII. */
export const visibleAsciiPattern = '^[ -~]+$';

/** The most characters of a header that holds a line of 200: each may take four bytes, and each byte three characters. */
export const maxEncodedLineLength = 2_400;

/** How text beyond ASCII is written in our headers; goes into their descriptions. */
export const encodedTextNote =
  'Percent-encoded UTF-8, as encodeURIComponent makes it; plain ASCII without % needs no encoding.';

/** One line of text from a header, or undefined where it is too long, not UTF-8, or holds what no line shows. */
export function decodeLine(given: string, mostCharacters: number): string | undefined {
  return lineMatching(
    percentDecode(given)?.normalize('NFC'),
    mostCharacters,
    /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+$/u,
  );
}

/** The id of a citizen from a header, which is left as the register writes it, or undefined. */
export function decodeCitizenId(given: string, mostCharacters: number): string | undefined {
  return lineMatching(percentDecode(given), mostCharacters, citizenIdPattern);
}

function lineMatching(text: string | undefined, mostCharacters: number, pattern: RegExp): string | undefined {
  const line = text?.trim() ?? '';
  return [...line].length <= mostCharacters && pattern.test(line) ? line : undefined;
}

/** Why this caller may not state that purpose: it is none of those that were agreed for its client. */
export function refusalOfPurpose({ purposes }: Pick<Caller, 'purposes'>, purpose: string | undefined) {
  const agreed = purpose === undefined || purposes === undefined || purposes.has(purpose);
  return agreed ? undefined : refuse('purpose-not-permitted');
}

/** The purpose a caller states in its header, decoded; one of those that were agreed for it, where any were. */
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
