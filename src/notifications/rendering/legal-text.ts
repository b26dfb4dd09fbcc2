import { formatDay } from '../../locales/date-format.ts';
import { localeFor } from '../../locales/locale.ts';
import { formatMessage } from '../../locales/message-format.ts';
import type { LegalNotice } from '../notification/legal-notice.ts';

/** The sentences that say when a message counts as delivered to the citizen, and from which day its deadlines run. */
export function legalSentences(tag: string | undefined, notice: LegalNotice): string[] {
  const { legalEffect: texts } = localeFor(tag);
  return [mainSentence(tag, notice), texts.deadlines];
}

function mainSentence(tag: string | undefined, notice: LegalNotice): string {
  const { language, legalEffect: texts } = localeFor(tag);
  const { effectiveOn, dueOn, awaitsLetter } = notice;
  const withDay = (text: string, day: string) => formatMessage(language, text, { day: dayIn(language, day) });
  if (effectiveOn !== undefined) return withDay(texts.effective, effectiveOn);
  if (dueOn !== undefined) return withDay(texts.fromDay, dueOn);
  return awaitsLetter ? texts.afterLetter : texts.whenOpened;
}

/** The short form for a row of the inbox. */
export function legalRowText(tag: string | undefined, { effectiveOn, dueOn }: LegalNotice): string {
  const { language, legalEffect: texts } = localeFor(tag);
  const withDay = (text: string, day: string) => formatMessage(language, text, { day: dayIn(language, day) });
  if (effectiveOn !== undefined) return withDay(texts.rowEffective, effectiveOn);
  return dueOn === undefined ? texts.rowWhenOpened : withDay(texts.rowFromDay, dueOn);
}

/** The sentence at the link that confirms the receipt of a mail. Nothing is left to decide for a message that counts already. */
export function legalLinkSentence(tag: string | undefined, notice: LegalNotice): string | undefined {
  const { legalEffect: texts } = localeFor(tag);
  if (notice.effectiveOn !== undefined) return undefined;
  return notice.confirmationCounts ? texts.linkCounts : texts.linkDoesNotCount;
}

/** A date (YYYY-MM-DD) in words. */
function dayIn(language: string, day: string): string {
  return formatDay(language, Date.parse(day));
}
