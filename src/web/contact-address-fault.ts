import type { CodeChannel } from '../notifications/contact/contact-code.ts';
import type { CitizenTexts } from './citizen-texts.ts';

type AddressFaults = CitizenTexts['contact']['addresses']['faults'];

/** Says what is wrong with an address to which no code can be sent, as exactly as the text allows. */
export function describeAddressFault(faults: AddressFaults, channel: CodeChannel, typed: string): string {
  const text = typed.trim();
  return channel === 'email' ? emailFault(faults.email, text) : phoneFault(faults.sms, text);
}

function emailFault(faults: AddressFaults['email'], text: string): string {
  if (text === '') return faults.empty;
  if (!text.includes('@')) return faults.noAt;
  if (/\s/.test(text)) return faults.space;
  return faults.malformed;
}

function phoneFault(faults: AddressFaults['sms'], text: string): string {
  if (text === '') return faults.empty;
  if (/\p{L}/u.test(text)) return faults.letters;
  if (!/^\(?(?:\+|00)/.test(text)) return faults.noCountry;
  return faults.malformed;
}
