import type { CitizenContact } from '../notifications/notification/contact.ts';
import { channelNames } from '../notifications/notification/notification.ts';

/** A channel of a citizen, with enough of the address to compare it with what the citizen says. */
export type ReachableChannel = {
  readonly channel: string;
  readonly address: string | null;
  readonly declined: boolean;
  readonly verified: boolean;
};

/** The channels by which a citizen can be reached, with masked addresses. */
export function maskedChannels({ email, phone, postalLines, declined = [], verified = [] }: CitizenContact) {
  const addresses = {
    inbox: null,
    email: email === undefined ? undefined : maskEmail(email),
    sms: phone === undefined ? undefined : maskEnd(phone, 2),
    letter: postalLines === undefined || postalLines.length === 0 ? undefined : maskPostalLines(postalLines),
  };
  return channelNames.flatMap((channel): readonly ReachableChannel[] => {
    const address = addresses[channel];
    if (address === undefined) return [];
    return [{ channel, address, declined: declined.includes(channel), verified: verified.includes(channel) }];
  });
}

/** The first character of the local part, and the domain. */
function maskEmail(address: string): string {
  const at = address.lastIndexOf('@');
  const [first = ''] = address;
  return at < 1 ? '…' : `${first}…${address.slice(at)}`;
}

function maskEnd(text: string, shown: number): string {
  return `…${text.slice(-shown)}`;
}

/** The first line is the street. The others show the town. */
function maskPostalLines(lines: readonly string[]): string {
  return lines.length === 1 ? '…' : `…, ${lines.slice(1).join(', ')}`;
}
