import type { ClaimName } from '../identity/register/claims.ts';
import type { ClaimFinding, UnmatchedReason } from '../kernel/verification-explanation.ts';
import type { CitizenEvent, LookUpReason } from '../ledger/ledger-event.ts';
import type { Locale } from '../locales/locale.ts';

type PageTexts = Locale['page'];

/** An event, a claim or a reason without a text does not compile. */
type UsesTexts = PageTexts['uses'] & {
  readonly kinds: Readonly<Record<CitizenEvent['type'], string>>;
  readonly claims: Readonly<Record<ClaimName, string>>;
  readonly findings: Readonly<Record<ClaimFinding, string>>;
  readonly byWallet: Readonly<Record<'match' | 'other', string>>;
  readonly reasons: Readonly<Record<UnmatchedReason, string>>;
  readonly lookUpReasons: Readonly<Record<LookUpReason, string>>;
};

/** The texts of the pages for citizens in one language, its language tag (BCP 47), and the time zone of dates; UTC by default. */
export type CitizenTexts = PageTexts &
  Pick<Locale, 'unavailable'> & { readonly language: string; readonly uses: UsesTexts; readonly timeZone?: string };

/** The texts of the pages in the language of a catalogue. */
export function citizenTextsOf({ language, page, unavailable }: Locale, timeZone = 'UTC'): CitizenTexts {
  return { ...page, unavailable, language, timeZone };
}
