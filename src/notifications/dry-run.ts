import { Type } from 'typebox';
import { toInstant } from '../kernel/clock.ts';
import { parseMailAddress } from '../kernel/mail-address.ts';
import { parsePhone } from './contact/phone-number.ts';
import { letterAddressOf } from './contact/postal-address.ts';
import { barOf, type PlannedStep } from './delivery/cascade.ts';
import type { InboxLink } from './inbox/inbox-link.ts';
import { type ChannelName, channelNames } from './notification.ts';
import { oneOf, reasonShape } from './notification-shape.ts';
import { phrasesOf } from './phrases-by-language.ts';
import type { Contact, TryLetter } from './ports.ts';
import { type ReasonCode, reasonOf } from './reason.ts';
import { blocksOf, type Content } from './sealed-content.ts';
import { isPlayed } from './simulator.ts';
import { textOfMail } from './text/mail-text.ts';
import { messageHtml } from './text/message-html.ts';
import { textOfSms } from './text/sms-text.ts';

/** What a dry run answers. */
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
      channel: oneOf(channelNames, 'The channel.'),
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

/** A notification as it would be sent. */
type Rehearsal = {
  readonly steps: readonly PlannedStep[];
  readonly deliverBy: number;
  readonly contact: Contact | undefined;
  /** Whether the caller may know if there is such a citizen; else nothing in the answer depends on it. */
  readonly mayKnow: boolean;
  /** The channels that take verified addresses only. */
  readonly verifiedOnly: readonly ChannelName[];
  /** The channels that leave the house and have a provider. */
  readonly providers: ReadonlySet<ChannelName>;
  readonly content: Content;
  readonly sender: string;
  readonly returnAddress: readonly string[] | undefined;
  readonly language: string | undefined;
  /** Left out where this server prints no letters. */
  readonly tryLetter: TryLetter | undefined;
  /** Left out where messages do not lead to the inbox. */
  readonly inboxLink: InboxLink | undefined;
};

/** In the place of the id that a real message gets, and as long. */
const noId = `ntf_${'0'.repeat(26)}`;

/** What each channel would show, and whether it reaches the citizen. No address is given out. */
export async function rehearse(rehearsal: Rehearsal) {
  const { steps, contact, mayKnow, language } = rehearsal;
  return {
    dryRun: true,
    citizenKnown: !mayKnow || contact !== undefined,
    ...(language === undefined ? {} : { language }),
    channels: await Promise.all(steps.map((step) => rehearseStep(rehearsal, step))),
  };
}

async function rehearseStep(rehearsal: Rehearsal, { channel, runAt, reminder }: PlannedStep) {
  const { contact, mayKnow, content, sender, returnAddress, language } = rehearsal;
  const { subject, message: text } = content;
  const looked = {
    contact: mayKnow ? contact : undefined,
    content,
    sender,
    returnAddress,
    language,
    reminder,
    at: runAt,
  };
  const hindrance = runAt >= rehearsal.deliverBy ? 'deadline-passed' : hindranceOf(rehearsal, channel);
  const hindered = hindrance !== undefined && reminder ? 'nothing-to-remind' : hindrance;
  const reason = hindered ?? (channel === 'letter' ? await rehearsal.tryLetter?.(looked) : undefined);
  const head = {
    channel,
    ...(reminder ? { reminder } : {}),
    notBefore: toInstant(runAt),
    reachable: reason === undefined,
    ...(reason === undefined ? {} : { reason: reasonOf(reason) }),
  };
  switch (channel) {
    case 'inbox': {
      const title = subject ?? phrasesOf(language).messageFrom(sender);
      const html = messageHtml({ title, language, blocks: blocksOf(content), sender });
      return { ...head, subject: title, text, html };
    }
    case 'email':
      return { ...head, ...textOfMail({ sender, subject, content, reminder, language }) };
    case 'sms':
      return { ...head, ...textOfSms({ sender, subject, content, language, inbox: rehearsal.inboxLink?.(noId) }) };
    case 'letter':
      return { ...head, text };
  }
}

/** How a delivery by this channel would end without being sent, as the worker finds it. */
function hindranceOf(rehearsal: Rehearsal, channel: ChannelName): ReasonCode | undefined {
  const { contact, mayKnow, verifiedOnly, providers } = rehearsal;
  if (mayKnow && contact === undefined) return 'citizen-unknown';
  if (mayKnow && contact?.deceased === true) return 'citizen-deceased';
  if (channel === 'inbox') return undefined;
  const known = mayKnow ? contact : undefined;
  const bar = known && barOf({ verifiedOnly }, known, channel);
  if (bar !== undefined) return bar;
  if (contact !== undefined && isPlayed(contact)) return undefined;
  if (!providers.has(channel)) return 'channel-not-configured';
  return known === undefined ? undefined : addressFault(known, channel);
}

function addressFault(contact: Contact, channel: Exclude<ChannelName, 'inbox'>): ReasonCode | undefined {
  const { email, phone } = contact;
  switch (channel) {
    case 'email':
      return email === undefined ? 'no-contact' : parseMailAddress(email) === undefined ? 'address-invalid' : undefined;
    case 'sms':
      return phone === undefined ? 'no-contact' : parsePhone(phone) === undefined ? 'address-invalid' : undefined;
    case 'letter':
      return letterAddressOf(contact) === undefined ? 'no-contact' : undefined;
  }
}
