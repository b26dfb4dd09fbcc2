import { formatMessage } from '../../locales/message-format.ts';
import type { LookUpAnswer } from '../../staff/look-up-hit.ts';
import type { RecentUse } from '../../staff/recent-uses.ts';
import { minuteText } from '../citizen-layout.ts';
import type { CitizenTexts } from '../citizen-texts.ts';
import { deliveryText, textNamed } from '../usage-words.ts';
import type { StaffVisit } from './staff-page.ts';

/** A found citizen, as the look-up returns it. */
export type Hit = LookUpAnswer['hits'][number];
/** A message of a found citizen. */
export type HitMessage = Hit['messages'][number];

type Words = Pick<StaffVisit, 'texts'> & { readonly words: CitizenTexts };

/** The name of a channel. */
export function channelText({ messages, uses }: CitizenTexts, channel: keyof CitizenTexts['uses']['channels']): string {
  return channel === 'inbox' ? messages.inbox : uses.channels[channel];
}

type ShownState = {
  readonly status: keyof Words['texts']['messageStates'];
  readonly channel?: string | undefined;
  readonly reason?: HitMessage['reason'] | undefined;
};

/** A state with the reason and the party that must act, in words. */
export function stateText({ texts }: Pick<Words, 'texts'>, { status, channel, reason }: ShownState): string {
  // A message in the inbox has arrived there, and waits for the person.
  const state = `${texts.messageStates[channel === 'inbox' && status === 'sent' ? 'placed' : status]}.`;
  if (reason === undefined) return state;
  return `${state} ${texts.deliveryReasons[reason.code]} ${texts.whoActs[reason.whoActs]}`;
}

/** The next step of the server with a message, in words. */
export function nextText({ texts, words }: Words, { next }: HitMessage): string {
  if (next === null) return texts.nextSteps.none;
  const channel = next.channel === undefined ? '' : channelText(words, next.channel);
  return formatMessage(words.language, texts.nextSteps[next.step], { time: minuteText(words, next.at), channel });
}

/** A use of the data. The words of the citizen's list say "you", so staff read others. */
export function useText(visit: Words, use: RecentUse): string {
  const { texts, words } = visit;
  const kind = useKind(visit, use);
  const purpose = use.purposeText ?? use.purpose;
  const why = purpose ?? textNamed(texts.lookUpReasons, use.reason);
  return why === undefined ? `${kind}.` : `${kind}. ${words.uses.purpose}: ${why}.`;
}

function useKind({ texts, words }: Words, { usage, channel: code, outcome }: RecentUse): string {
  const channel = code === 'inbox' ? words.messages.inbox : textNamed(words.uses.channels, code);
  const delivery = deliveryText(words.language, texts.uses.deliveries, { usage, outcome, channel });
  return delivery ?? textNamed({ ...words.uses.kinds, ...texts.uses.kinds }, usage) ?? usage;
}
