import { operatorCode } from '../audit/access-log-filter.ts';
import type { UsageDescription } from '../audit/describe-usage.ts';
import type { Usage } from '../audit/usage.ts';
import { formatDay } from '../locales/date-format.ts';
import { formatMessage } from '../locales/message-format.ts';
import type { LegalNotice } from '../notifications/notification/legal-notice.ts';
import { legalRowText } from '../notifications/rendering/legal-text.ts';
import type { CitizenLayout } from './citizen-layout.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** A use as `readOwnAccessLog` returns it to the citizen. */
export type DescribedUsage = Usage &
  UsageDescription & {
    /** When its message will count as served, if opening it can still decide that. */
    readonly pendingNotice?: LegalNotice | undefined;
  };

/** The subject of a row of an entry. The download has a column for each. */
export type UseRowKey =
  | 'object'
  | 'recipient'
  | 'until'
  | 'purpose'
  | 'legalBasis'
  | 'consent'
  | 'claims'
  | 'channel'
  | 'result'
  | 'reason';

/**
 * A fact about a use with its label in the language of the page. `language` is that of the text if it differs, and '' if it is not
 * known. `href` leads to the document or message. `note` is the effect of opening it.
 */
export type UseRow = {
  readonly key: UseRowKey;
  readonly label: string;
  readonly text: string;
  readonly language?: string | undefined;
  readonly href?: string | undefined;
  readonly note?: string | undefined;
};

/** One entry of the access log in words. */
export type UseWords = { readonly who: string | undefined; readonly what: string; readonly rows: readonly UseRow[] };

type Frame = Pick<CitizenLayout, 'words' | 'nameOf'>;

/** Says who did what, about which document or message, why, and with which result. */
export function wordsOfUse(frame: Frame, usage: DescribedUsage): UseWords {
  const { uses } = frame.words;
  if (usage.state === 'hidden') return { who: undefined, what: uses.hidden, rows: [] };
  if (usage.state === 'erased') return { who: undefined, what: uses.erased, rows: [] };
  const rows = [
    objectRow(frame.words, usage),
    row('recipient', uses.labels.recipient, usage.recipientOrg?.name),
    row('until', uses.labels.until, untilOf(frame.words, usage)),
    freeRow('purpose', uses.purpose, usage.purposeText ?? usage.purpose, usage.purposeLanguage),
    freeRow('legalBasis', uses.legalBasis, usage.legalBasis),
    freeRow('consent', uses.consent, usage.consentReference),
    ...claimRows(frame.words, usage),
    row('channel', uses.labels.channel, textNamed(uses.channels, usage.details?.['channel'])),
    row('result', resultLabel(frame.words, usage), resultOf(frame.words, usage)),
    row('reason', uses.labels.reason, reasonOf(frame.words, usage)),
    freeRow('reason', uses.labels.reason, freeReasonOf(usage)),
    freeRow('reason', uses.labels.hiddenReason, usage.hiddenReason),
  ];
  return { who: userName(frame, usage), what: kindText(frame.words, usage), rows: rows.flatMap((one) => one ?? []) };
}

function row(key: UseRowKey, label: string, text: string | undefined): UseRow | undefined {
  return text === undefined ? undefined : { key, label, text };
}

/** A row whose text someone has written, in a language that is not known by default. */
function freeRow(key: UseRowKey, label: string, text: string | undefined, language = ''): UseRow | undefined {
  return text === undefined ? undefined : { key, label, text, language };
}

/** The text of that name; undefined if there is none, because another program version may have written the event. */
export function textNamed(texts: object, name: unknown): string | undefined {
  return Object.entries(texts).find(([one]) => one === name)?.[1];
}

/** The acts of the program and its staff are those of the authority that runs it. */
function userName({ words, nameOf }: Frame, { initiatorOrg, initiator }: Usage): string {
  const { language, uses } = words;
  if (initiatorOrg !== undefined) return initiatorOrg.name;
  if (initiator === 'citizen') return uses.you;
  return formatMessage(language, initiator === 'operator' ? uses.staff : uses.system, {
    operator: nameOf(operatorCode),
  });
}

/** Another program version may have written an event type that has no text here. Then the page shows its name. */
export function kindText(
  { language, uses }: CitizenTexts,
  { usage = '', details = {} }: Pick<Usage, 'usage' | 'details'>,
): string {
  const channel = textNamed(uses.byChannel, details['channel']);
  if (usage === 'notification.opened' && channel !== undefined) return uses.confirmed;
  const delivery = deliveryText(language, uses.deliveries, { usage, outcome: details['outcome'], channel });
  if (delivery !== undefined) return delivery;
  const byWallet = usage === 'identity.verified' ? textNamed(uses.byWallet, details['wallet']) : undefined;
  return byWallet ?? textNamed(uses.kinds, usage) ?? usage;
}

/** The end of a delivery with its channel in words. Undefined for another use, and for an outcome or a channel without a text. */
export function deliveryText(
  language: string,
  deliveries: object,
  {
    usage,
    outcome,
    channel,
  }: { readonly usage: string; readonly outcome: unknown; readonly channel: string | undefined },
): string | undefined {
  const text = textNamed(deliveries, outcome === 'delivered' ? 'sent' : outcome);
  if (usage !== 'notification.delivery-ended' || text === undefined || channel === undefined) return undefined;
  return formatMessage(language, text, { channel });
}

function objectRow(
  { uses, language: pageLanguage }: CitizenTexts,
  { object, pendingNotice }: DescribedUsage,
): UseRow | undefined {
  if (object === undefined) return undefined;
  const { type, id, state, title, language = '' } = object;
  const label = uses.labels[type];
  const texts = uses.objects[type];
  if (state === 'erased') return { key: 'object', label, text: texts.erased };
  if (state === 'unavailable')
    return { key: 'object', label, ...(title === undefined ? { text: texts.unavailable } : { text: title, language }) };
  const href = `${type === 'document' ? citizenPaths.documents : citizenPaths.messages}/${id}`;
  const note = pendingNotice === undefined ? undefined : legalRowText(pageLanguage, pendingNotice);
  const shown = title === undefined ? { text: texts.untitled } : { text: title, language };
  return { key: 'object', label, href, note, ...shown };
}

function untilOf({ language, timeZone }: CitizenTexts, { usage, details = {} }: Usage): string | undefined {
  const at = usage === 'document.granted' ? Date.parse(String(details['endsAt'])) : Number.NaN;
  return Number.isNaN(at) ? undefined : formatDay(language, at, timeZone);
}

function resultLabel({ uses }: CitizenTexts, { usage }: Usage): string {
  return usage === 'identity.verified' ? uses.answer : uses.labels.result;
}

function resultOf({ uses }: CitizenTexts, { usage, details = {} }: Usage): string | undefined {
  switch (usage) {
    case 'identity.verified':
      // The decision about a wallet is that about its owner.
      if (details['wallet'] === 'other' && details['decision'] === 'match') return undefined;
      return textNamed(uses.decisions, details['decision']);
    case 'notification.delivery-ended':
      return textNamed(uses.results, details['outcome']);
    case 'document.scanned':
      return textNamed(uses.results, details['verdict']);
    case 'identity.lock-changed':
      return details['locked'] === true ? uses.results.locked : uses.results.unlocked;
    default:
      return undefined;
  }
}

const typesWithFreeReason = ['document.hold-placed', 'own-lock.lifted'];

/** The reason that staff have written. */
function freeReasonOf({ usage = '', details = {} }: Usage): string | undefined {
  const { reason } = details;
  return typesWithFreeReason.includes(usage) && typeof reason === 'string' ? reason : undefined;
}

/** Why something was done or refused. For a failed verification, the reason that the service did not receive. */
function reasonOf({ uses }: CitizenTexts, { usage = '', details = {}, explanation }: Usage): string | undefined {
  const { reason, rule, decision } = details;
  if (['staff.looked-up', 'notification.content-read', 'notification.letter-requested'].includes(usage))
    return textNamed(uses.lookUpReasons, reason);
  if (usage === 'document.refused' || usage === 'document.unknown') return textNamed(uses.refusals, reason);
  if (usage === 'document.erased') return textNamed(uses.erasures, rule);
  if (usage !== 'identity.verified' || decision === 'match') return undefined;
  return explanation === undefined ? uses.reasonNotKept : textNamed(uses.reasons, explanation.reason);
}

/** The claims of a verification by the result of their comparison; if none was compared, the claims of the request. */
function claimRows(words: CitizenTexts, { usage, details = {}, explanation }: Usage): UseRow[] {
  if (usage !== 'identity.verified') return [];
  const { claimsAsked, decision } = details;
  const compared = Object.entries(decision === 'match' ? {} : (explanation?.claims ?? {}));
  if (compared.length === 0) {
    const asked = Array.isArray(claimsAsked) ? claimsAsked.map(String) : [];
    return claimRow(words, words.uses.asked, asked);
  }
  return Object.entries(words.uses.findings).flatMap(([finding, label]) => {
    const claims = compared.filter(([, one]) => one === finding).map(([claim]) => claim);
    return claimRow(words, label, claims);
  });
}

function claimRow({ uses, language }: CitizenTexts, label: string, claims: readonly string[]): UseRow[] {
  if (claims.length === 0) return [];
  const list = new Intl.ListFormat(language, { type: 'conjunction' });
  return [{ key: 'claims', label, text: list.format(claims.map((claim) => textNamed(uses.claims, claim) ?? claim)) }];
}
