import { Type } from 'typebox';
import { formatInstant } from '../kernel/clock.ts';
import { parseEmailAddress } from '../kernel/email-address.ts';
import { blockedReasonOf, type PlannedStep } from './cascade/cascade.ts';
import { parsePhone } from './contact/phone-number.ts';
import { letterAddressOf } from './contact/postal-address.ts';
import { isSimulated } from './delivery/simulator.ts';
import type { InboxLink } from './inbox/inbox-link.ts';
import type { CheckLetter } from './letters/check-letter.ts';
import type { CitizenContact } from './notification/contact.ts';
import { blocksOf, type MessageContent } from './notification/message-content.ts';
import { type ChannelName, channelNames } from './notification/notification.ts';
import { literalUnion, reasonShape } from './notification/notification-shape.ts';
import { type ReasonCode, reasonOf } from './notification/reason.ts';
import { defaultSubject } from './rendering/default-subject.ts';
import { renderMailText } from './rendering/mail-text.ts';
import { renderMessageHtml } from './rendering/message-html.ts';
import { renderSmsText } from './rendering/sms-text.ts';

/** The answer of a dry run. */
export const dryRunShape = Type.Object({
  dryRun: Type.Literal(true),
  citizenKnown: Type.Boolean({
    description: 'false: no such citizen, all channels would fail. Always true without the scope citizens:known.',
  }),
  language: Type.Optional(
    Type.String({
      description:
        'The language of the message: as you named it, or of the text that was chosen from the template. Without it, and without the scope citizens:known, that of the citizen is not told: of a template the default one is shown.',
    }),
  ),
  channels: Type.Array(
    Type.Object({
      channel: literalUnion(channelNames, 'The channel.'),
      reminder: Type.Optional(Type.Boolean()),
      notBefore: Type.String({ format: 'date-time', description: 'When this step would begin, if still unread.' }),
      reachable: Type.Boolean({
        description:
          'false: the channel would end without a message, for the reason given. Without the scope citizens:known only what does not depend on the citizen.',
      }),
      reason: Type.Optional(reasonShape),
      subject: Type.Optional(Type.String({ description: 'Email and inbox: the subject.' })),
      text: Type.String({
        description:
          'The text that this channel would carry; of a mail all but the id and its links. The link of a text message has an id of zeros.',
      }),
      html: Type.Optional(
        Type.String({
          description:
            'Inbox: the same as a page. Email: the same, where the message has headings, lists, links or strong words.',
        }),
      ),
      segments: Type.Optional(Type.Integer({ description: 'Text messages: how many segments it takes.' })),
    }),
  ),
});

/** A checked request, and what the caller may learn about the citizen. */
type DryRunInput = {
  readonly steps: readonly PlannedStep[];
  readonly deliverBy: number;
  readonly contact: CitizenContact | undefined;
  /** If false, nothing in the answer depends on whether the citizen exists. */
  readonly mayKnowCitizen: boolean;
  /** The channels that use verified addresses only. */
  readonly verifiedOnly: readonly ChannelName[];
  /** The channels with a provider. */
  readonly providers: ReadonlySet<ChannelName>;
  readonly content: MessageContent;
  readonly sender: string;
  readonly returnAddress: readonly string[] | undefined;
  readonly language: string | undefined;
  /** Undefined when this server prints no letters. */
  readonly checkLetter: CheckLetter | undefined;
  /** Undefined when messages have no link to the inbox. */
  readonly inboxLink: InboxLink | undefined;
};

/** A placeholder for the id of a real message; it has the same length, so that segments are counted right. */
const placeholderId = `ntf_${'0'.repeat(26)}`;

/** Shows what each channel would send, and whether it would reach the citizen. The answer contains no address. */
export async function dryRunAnswer(input: DryRunInput) {
  const { steps, contact, mayKnowCitizen, language } = input;
  return {
    dryRun: true,
    citizenKnown: !mayKnowCitizen || contact !== undefined,
    ...(language === undefined ? {} : { language }),
    channels: await Promise.all(steps.map((step) => previewStep(input, step))),
  };
}

async function previewStep(input: DryRunInput, { channel, runAt, reminder }: PlannedStep) {
  const { contact, mayKnowCitizen, content, sender, returnAddress, language } = input;
  const { subject, message: text } = content;
  const letter = {
    contact: mayKnowCitizen ? contact : undefined,
    content,
    sender,
    returnAddress,
    language,
    reminder,
    at: runAt,
  };
  const unreachableReason = runAt >= input.deliverBy ? 'deadline-passed' : unreachableReasonOf(input, channel);
  const skipReason = unreachableReason !== undefined && reminder ? 'nothing-to-remind' : unreachableReason;
  const reason = skipReason ?? (channel === 'letter' ? await input.checkLetter?.(letter) : undefined);
  const head = {
    channel,
    ...(reminder ? { reminder } : {}),
    notBefore: formatInstant(runAt),
    reachable: reason === undefined,
    ...(reason === undefined ? {} : { reason: reasonOf(reason) }),
  };
  switch (channel) {
    case 'inbox': {
      const title = subject ?? defaultSubject(language, sender);
      const html = renderMessageHtml({ title, language, blocks: blocksOf(content), sender });
      return { ...head, subject: title, text, html };
    }
    case 'email':
      return { ...head, ...renderMailText({ sender, subject, content, reminder, language }) };
    case 'sms':
      return {
        ...head,
        ...renderSmsText({ sender, subject, content, language, inbox: input.inboxLink?.(placeholderId) }),
      };
    case 'letter':
      return { ...head, text };
  }
}

/** Why the worker would not send by this channel; undefined when it would. */
function unreachableReasonOf(input: DryRunInput, channel: ChannelName): ReasonCode | undefined {
  const { contact, mayKnowCitizen, verifiedOnly, providers } = input;
  if (mayKnowCitizen && contact === undefined) return 'citizen-unknown';
  if (mayKnowCitizen && contact?.deceased === true) return 'citizen-deceased';
  if (channel === 'inbox') return undefined;
  const known = mayKnowCitizen ? contact : undefined;
  const blockedReason = known && blockedReasonOf({ verifiedOnly }, known, channel);
  if (blockedReason !== undefined) return blockedReason;
  if (contact !== undefined && isSimulated(contact)) return undefined;
  if (!providers.has(channel)) return 'channel-not-configured';
  return known === undefined ? undefined : addressFault(known, channel);
}

function addressFault(contact: CitizenContact, channel: Exclude<ChannelName, 'inbox'>): ReasonCode | undefined {
  const { email, phone } = contact;
  switch (channel) {
    case 'email':
      return email === undefined
        ? 'no-contact'
        : parseEmailAddress(email) === undefined
          ? 'address-invalid'
          : undefined;
    case 'sms':
      return phone === undefined ? 'no-contact' : parsePhone(phone) === undefined ? 'address-invalid' : undefined;
    case 'letter':
      return letterAddressOf(contact) === undefined ? 'no-contact' : undefined;
  }
}
