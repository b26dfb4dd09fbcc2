import { type Static, Type } from 'typebox';
import { formatInstant } from '../kernel/clock.ts';
import { blockedReasonOf, type PlannedStep } from './cascade/cascade.ts';
import { parseContactAddress } from './contact/contact-code.ts';
import { letterAddressOf } from './contact/postal-address.ts';
import { isSimulated } from './delivery/simulator.ts';
import type { CitizenContact } from './notification/contact.ts';
import type { LegalNotice } from './notification/legal-notice.ts';
import { blocksOf, type MessageContent } from './notification/message-content.ts';
import { type ChannelName, channelNames } from './notification/notification.ts';
import { literalUnion, reasonShape } from './notification/notification-shape.ts';
import { type ReasonCode, reasonOf } from './notification/reason.ts';
import type { SendingService } from './notification/sending-service.ts';
import type { NotificationPorts } from './ports.ts';
import { defaultSubject, renderMailText } from './rendering/mail-text.ts';
import { renderMessageHtml } from './rendering/message-html.ts';
import { renderSmsText } from './rendering/sms-text.ts';

/** The schema of the answer of a preview. */
export const previewShape = Type.Object({
  citizenKnown: Type.Boolean({
    description:
      'false: the register has no such citizen, and all channels would fail. Always true without the scope citizens:known.',
  }),
  language: Type.Optional(
    Type.String({
      description:
        'The language of the message (BCP 47): the requested one, or that of the chosen text of the template. Without the scope citizens:known, it does not depend on the citizen: a template has its default text. Absent if the language is unknown.',
    }),
  ),
  channels: Type.Array(
    Type.Object({
      channel: literalUnion(channelNames, 'The channel: inbox, email, sms or letter.'),
      reminder: Type.Optional(
        Type.Boolean({ description: 'true for a reminder of an unread message, otherwise absent.' }),
      ),
      notBefore: Type.String({
        format: 'date-time',
        description: 'The time at which this step would start, if the message is still unread.',
      }),
      reachable: Type.Boolean({
        description:
          'false: the channel would send nothing, for the reason in the member reason. Without the scope citizens:known, reasons that depend on the citizen are not shown.',
      }),
      reason: Type.Optional(reasonShape),
      subject: Type.Optional(Type.String({ description: 'The subject line. Only for email and the inbox.' })),
      noticeOnly: Type.Optional(
        Type.Boolean({
          description:
            'true: this mail or text message only says that there is a message. Its content is in the inbox.',
        }),
      ),
      text: Type.String({
        description:
          'The text that this channel would send. A mail is shown without its id and links, and the link of a text message has an id of zeros.',
      }),
      html: Type.Optional(
        Type.String({
          description:
            'The same text as an HTML page. Always present for the inbox; for email, if the message has headings, lists, links or strong text.',
        }),
      ),
      segments: Type.Optional(Type.Integer({ description: 'The number of segments of a text message. Only for sms.' })),
    }),
  ),
});

/** The answer of a preview. */
export type PreviewAnswer = Static<typeof previewShape>;

/** A checked request, and what the caller may learn about the citizen. */
type PreviewInput = {
  readonly steps: readonly PlannedStep[];
  readonly deliverBy: number;
  readonly contact: CitizenContact | undefined;
  /** If false, nothing in the answer depends on whether the citizen exists. */
  readonly mayKnowCitizen: boolean;
  readonly content: MessageContent;
  readonly reference: string | null;
  readonly noticeOnly: boolean;
  readonly legalNotice: LegalNotice | undefined;
  readonly service: SendingService;
  readonly language: string | undefined;
  readonly ports: Pick<NotificationPorts, 'cascade' | 'checkLetter' | 'inboxLink'>;
};

/** A placeholder for the id of a real message; it has the same length, so that segments are counted right. */
const placeholderId = `ntf_${'0'.repeat(26)}`;

/** Shows what each channel would send, and whether it would reach the citizen. The answer contains no address. */
export async function previewAnswer(input: PreviewInput) {
  const { steps, contact, mayKnowCitizen, language } = input;
  return {
    citizenKnown: !mayKnowCitizen || contact !== undefined,
    ...(language === undefined ? {} : { language }),
    channels: await Promise.all(steps.map((step) => previewStep(input, step))),
  };
}

async function previewStep(input: PreviewInput, { channel, runAt, reminder }: PlannedStep) {
  const { mayKnowCitizen, content, language, ports, noticeOnly } = input;
  const { name: sender, returnAddress, messages: senderSettings } = input.service;
  const { subject, message: text } = content;
  const contact = mayKnowCitizen ? input.contact : undefined;
  const letter = {
    contact,
    content,
    sender,
    returnAddress,
    senderSettings,
    reference: input.reference,
    legalNotice: input.legalNotice,
    language,
    reminder,
    at: runAt,
  };
  const unreachableReason = runAt >= input.deliverBy ? 'deadline-passed' : await unreachableReasonOf(input, channel);
  const skipReason = unreachableReason !== undefined && reminder ? 'nothing-to-remind' : unreachableReason;
  const reason = skipReason ?? (channel === 'letter' ? await ports.checkLetter?.(letter) : undefined);
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
      return {
        ...head,
        ...(noticeOnly ? { noticeOnly } : {}),
        ...renderMailText({ ...input, sender, senderSettings, subject, reminder }),
      };
    case 'sms':
      return {
        ...head,
        ...(noticeOnly ? { noticeOnly } : {}),
        ...renderSmsText({ ...input, sender, subject, inbox: ports.inboxLink?.(placeholderId) }),
      };
    case 'letter':
      return { ...head, text };
  }
}

type ReachInput = Pick<PreviewInput, 'contact' | 'mayKnowCitizen'> & {
  readonly ports: Pick<NotificationPorts, 'cascade'>;
};

/** Why the worker would not send by this channel; undefined when it would. */
export async function unreachableReasonOf(input: ReachInput, channel: ChannelName): Promise<ReasonCode | undefined> {
  const { contact, mayKnowCitizen } = input;
  const { cascade } = input.ports;
  if (mayKnowCitizen && contact === undefined) return 'citizen-unknown';
  if (mayKnowCitizen && contact?.deceased === true) return 'citizen-deceased';
  if (channel === 'inbox') return undefined;
  const known = mayKnowCitizen ? contact : undefined;
  const blockedReason = known && blockedReasonOf(cascade, known, channel);
  if (blockedReason !== undefined) return blockedReason;
  if (contact !== undefined && isSimulated(contact)) return undefined;
  if (!cascade.providers.has(channel)) return 'channel-not-configured';
  return known === undefined ? undefined : await addressFault(known, channel);
}

async function addressFault(
  contact: CitizenContact,
  channel: Exclude<ChannelName, 'inbox'>,
): Promise<ReasonCode | undefined> {
  if (channel === 'letter') return letterAddressOf(contact) === undefined ? 'no-contact' : undefined;
  const address = channel === 'email' ? contact.email : contact.phone;
  if (address === undefined) return 'no-contact';
  const parsed = await parseContactAddress(channel, address, undefined);
  return parsed === undefined ? 'address-invalid' : undefined;
}
