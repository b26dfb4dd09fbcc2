import { Type } from 'typebox';
import { toInstant } from '../kernel/clock.ts';
import type { PlannedStep } from './cascade.ts';
import { messageHtml } from './message-html.ts';
import { type ChannelName, channelNames } from './notification.ts';
import { oneOf, reasonShape } from './notification-shape.ts';
import { phrasesOf } from './phrases.ts';
import type { Contact, TryLetter } from './ports.ts';
import { reasonOf } from './reason.ts';
import { blocksOf, type Content } from './sealed-content.ts';
import { textOfSms } from './sms-text.ts';

/** What a dry run answers. */
export const dryRunShape = Type.Object({
  dryRun: Type.Literal(true),
  citizenKnown: Type.Boolean({
    description: 'false: no such citizen, all channels would fail. Always true without the scope citizens:known.',
  }),
  channels: Type.Array(
    Type.Object({
      channel: oneOf(channelNames, 'The channel.'),
      reminder: Type.Optional(Type.Boolean()),
      notBefore: Type.String({ format: 'date-time', description: 'When this step would begin, if still unread.' }),
      reachable: Type.Boolean({
        description:
          'false: no address, declined, no provider for the channel on this server, or a letter that cannot be printed. Without the scope citizens:known only what does not depend on the citizen.',
      }),
      reason: Type.Optional(reasonShape),
      text: Type.String({ description: 'The text that this channel would carry.' }),
      html: Type.Optional(Type.String({ description: 'Email and inbox: the same as a page.' })),
      segments: Type.Optional(Type.Integer({ description: 'Text messages: how many segments it takes.' })),
    }),
  ),
});

/** A notification as it would be sent. */
export type Rehearsal = {
  readonly steps: readonly PlannedStep[];
  readonly contact: Contact | undefined;
  /** Whether the caller may know if there is such a citizen; else nothing in the answer depends on it. */
  readonly mayKnow: boolean;
  /** The channels that take verified addresses only. */
  readonly verifiedOnly: readonly ChannelName[];
  /** The channels that leave the house and have a provider. */
  readonly providers: ReadonlySet<ChannelName>;
  readonly content: Content;
  readonly sender: string;
  readonly language: string | undefined;
  /** Left out where this server prints no letters. */
  readonly tryLetter: TryLetter | undefined;
};

/** What each channel would show, and whether it reaches the citizen. No address is given out. */
export async function rehearse(rehearsal: Rehearsal) {
  const { steps, contact, mayKnow } = rehearsal;
  return {
    dryRun: true,
    citizenKnown: !mayKnow || contact !== undefined,
    channels: await Promise.all(steps.map((step) => rehearseStep(rehearsal, step))),
  };
}

async function rehearseStep(rehearsal: Rehearsal, { channel, runAt, reminder }: PlannedStep) {
  const { contact, mayKnow, verifiedOnly, content, sender, language } = rehearsal;
  const verified = !verifiedOnly.includes(channel) || contact?.verified?.includes(channel) === true;
  const isAbsent = channel !== 'inbox' && !rehearsal.providers.has(channel);
  const head = {
    channel,
    ...(reminder ? { reminder } : {}),
    notBefore: toInstant(runAt),
    reachable: !isAbsent && (!mayKnow || (contact !== undefined && reaches(contact, channel) && verified)),
    ...(isAbsent ? { reason: reasonOf('channel-not-configured') } : {}),
  };
  if (channel === 'sms')
    return { ...head, ...textOfSms({ sender, subject: content.subject, text: content.message, language }) };
  if (channel === 'letter') {
    const looked = { contact: mayKnow ? contact : undefined, content, sender, language, reminder, at: runAt };
    const fault = await rehearsal.tryLetter?.(looked);
    const refused = fault === undefined ? {} : { reachable: false, reason: reasonOf(fault) };
    return { ...head, ...refused, text: content.message };
  }
  const title = content.subject ?? phrasesOf(language).messageFrom(sender);
  const html = messageHtml({ title, language, blocks: blocksOf(content), footer: [sender] });
  return { ...head, text: content.message, html };
}

function reaches(contact: Contact, channel: PlannedStep['channel']): boolean {
  switch (channel) {
    case 'inbox':
      return true;
    case 'email':
      return contact.email !== undefined && !contact.declined?.includes(channel);
    case 'sms':
      return contact.phone !== undefined && !contact.declined?.includes(channel);
    case 'letter':
      return contact.name !== undefined && (contact.postalLines?.length ?? 0) > 0;
  }
}
