import type { Random } from '../kernel/clock.ts';
import type { Mint } from '../kernel/id.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import { type CodeChannel, contactAddressOf } from './contact/contact-code.ts';
import { type CascadePolicy, planOf } from './delivery/cascade.ts';
import { houseMessage } from './house-message.ts';
import { timedChannelNames } from './notification.ts';
import { phrasesOf } from './phrases-by-language.ts';
import type { Contact } from './ports.ts';

const dayMs = 86_400_000;
const toldForMs = 14 * dayMs;

type Changing = {
  readonly now: number;
  readonly mint: Mint;
  readonly ports: {
    readonly citizenKeys: Pick<CitizenKeys, 'keyOf'>;
    readonly random: Random;
    readonly cascade: CascadePolicy;
  };
};

/** Whose own lock was set or lifted, and where that one is reached; with the reason where staff lifted it. */
type Change = {
  readonly citizenId: string;
  readonly contact: Contact | undefined;
  readonly locked: boolean;
  readonly reason?: string | undefined;
};

/**
 * The message that the own lock was changed, for the unit that changes it. It goes by mail, or else by text message, at whatever
 * hour and whatever was declined: who has taken over a sign-in could lift the lock, and decline to be told. Where there is
 * neither, by the whole cascade. It lies in the inbox too.
 */
export async function tellOfLockChange(call: Changing, { citizenId, contact, locked, reason }: Change) {
  const { language, ownLock } = phrasesOf(contact?.language);
  const { subject, text } = locked ? ownLock.set : ownLock.lifted;
  const { cascade } = call.ports;
  const deliverBy = call.now + toldForMs;
  const sends = (channel: CodeChannel) =>
    cascade.providers.has(channel) || cascade.steps.some((step) => step.channel === channel);
  const channel = timedChannelNames.find((one) => sends(one) && addressOf(contact, one) !== undefined);
  const address = channel && addressOf(contact, channel);
  const wanted = channel && [channel];
  const who = reason === undefined ? ownLock.doubt : ownLock.byStaff(reason);
  return await houseMessage(call, {
    citizenId,
    content: { subject, message: `${text}\n\n${who}`, address },
    language,
    steps: planOf(cascade, { wanted, begin: call.now, deliverBy, urgent: true }),
    deliverBy,
  });
}

function addressOf(contact: Contact | undefined, channel: CodeChannel): string | undefined {
  return contact && contactAddressOf(contact, channel);
}
