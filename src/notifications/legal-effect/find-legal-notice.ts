import type { Read } from '../../db/database.ts';
import { localDateAt } from '../../kernel/local-date.ts';
import type { LegalNotice } from '../notification/legal-notice.ts';
import type { Notification } from '../notification/notification.ts';
import { findDetails } from '../notification/notification-details.ts';
import { type Calendar, confirmationCounts, dueEffectOf, legalEffectOf, needsLetter } from './legal-effect.ts';
import { findLegalEffect } from './legal-effect-store.ts';
import { legalFactsOf } from './legal-facts.ts';

type NoticeOptions = {
  readonly now: number;
  /** When the current request opens the message. */
  readonly openedAt?: number;
};

/** The notice of a notification; undefined when its sender named no rule. Evidence that was issued before decides. */
export async function findLegalNotice(
  { read, calendar }: { readonly read: Read; readonly calendar: Calendar },
  notification: Notification,
  { now, openedAt }: NoticeOptions,
): Promise<LegalNotice | undefined> {
  const { id, legalEffect: rule } = notification;
  if (rule === null) return undefined;
  const [stated, details] = await Promise.all([findLegalEffect(read, id), findDetails(read, notification)]);
  const found = legalFactsOf(details);
  const facts = { ...found, openedAt: found.openedAt ?? openedAt };
  const { effectiveAt } = stated ?? legalEffectOf(rule, facts, calendar, now);
  // A mail can be written just before the copy is put into the inbox.
  const due = dueEffectOf(rule, { ...facts, availableAt: facts.availableAt ?? now }, calendar);
  const dayOf = (at: number) => localDateAt(calendar.timeZone ?? 'UTC', at);
  return {
    rule,
    confirmationCounts: confirmationCounts(rule),
    awaitsLetter: needsLetter(rule) && facts.letterAt === undefined,
    ...(effectiveAt === undefined ? {} : { effectiveOn: dayOf(Date.parse(effectiveAt)) }),
    ...(effectiveAt !== undefined || due === undefined ? {} : { dueOn: dayOf(due.at) }),
  };
}

/** The notice for a message that is not sent yet, in a preview: its copy comes into the inbox at `availableAt` (epoch ms). */
export function plannedLegalNotice(rule: string, availableAt: number, calendar: Calendar): LegalNotice {
  const facts = { availableAt, openedAt: undefined, confirmedAt: undefined, letterAt: undefined };
  const due = dueEffectOf(rule, facts, calendar);
  return {
    rule,
    confirmationCounts: confirmationCounts(rule),
    awaitsLetter: needsLetter(rule),
    ...(due === undefined ? {} : { dueOn: localDateAt(calendar.timeZone ?? 'UTC', due.at) }),
  };
}
