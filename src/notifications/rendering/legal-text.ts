import { formatDay } from '../../locales/date-format.ts';
import { localeFor } from '../../locales/locale.ts';
import { formatMessage } from '../../locales/message-format.ts';
import type { LegalNotice } from '../notification/legal-notice.ts';

/** The sentences that say when a message counts as delivered to the citizen, and from which day its deadlines run. */
export function legalSentences(tag: string | undefined, notice: LegalNotice): string[] {
  const { legalEffect: texts } = localeFor(tag);
  return [textOf(tag, notice, texts), texts.deadlines];
}

/**
 * The same sentences in a letter, which can be the letter that the message needs. The day of its handover is not known yet. Another day
 * stays on one line.
 */
export function legalLetterSentences(tag: string | undefined, notice: LegalNotice): string[] {
  const { legalEffect: texts } = localeFor(tag);
  const dayOf = (language: string, day: string) => dayIn(language, day).replaceAll(' ', '\u00a0');
  return [textOf(tag, notice, { ...texts, afterLetter: texts.afterThisLetter }, dayOf), texts.deadlines];
}

/** The short form for a text message. */
export function legalSmsText(tag: string | undefined, notice: LegalNotice): string {
  return textOf(tag, notice, localeFor(tag).legalEffect.textMessage);
}

/** The short form for a row of the inbox. */
export function legalRowText(tag: string | undefined, notice: LegalNotice): string {
  const { rowEffective, rowFromDay, rowAfterLetter, rowWhenOpened } = localeFor(tag).legalEffect;
  return textOf(tag, notice, {
    effective: rowEffective,
    fromDay: rowFromDay,
    afterLetter: rowAfterLetter,
    whenOpened: rowWhenOpened,
  });
}

type LegalForms = Readonly<Record<'effective' | 'fromDay' | 'afterLetter' | 'whenOpened', string>>;

function textOf(
  tag: string | undefined,
  { effectiveOn, dueOn, awaitsLetter }: LegalNotice,
  forms: LegalForms,
  dayOf = dayIn,
): string {
  const { language } = localeFor(tag);
  const withDay = (text: string, day: string) => formatMessage(language, text, { day: dayOf(language, day) });
  if (effectiveOn !== undefined) return withDay(forms.effective, effectiveOn);
  if (dueOn !== undefined) return withDay(forms.fromDay, dueOn);
  return awaitsLetter ? forms.afterLetter : forms.whenOpened;
}

/** The sentence at the link that confirms the receipt of a mail. Nothing is left to decide for a message that counts already. */
export function legalLinkSentence(tag: string | undefined, notice: LegalNotice): string | undefined {
  const { legalEffect: texts } = localeFor(tag);
  if (notice.effectiveOn !== undefined) return undefined;
  return notice.confirmationCounts ? texts.linkCounts : texts.linkDoesNotCount;
}

function dayIn(language: string, day: string): string {
  return formatDay(language, Date.parse(day));
}
