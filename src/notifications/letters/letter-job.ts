import { createHash } from 'node:crypto';
import { toInstant } from '../../kernel/clock.ts';
import type { Message, Outcome } from '../channels/channel.ts';
import type { Contact } from '../ports.ts';
import { letterData } from './letter-data.ts';
import type { LetterPress } from './letter-press.ts';
import type { AddressWindowName } from './letter-template.ts';

/** A letter that is set, with what the printer has to know; who it is for stands in the letter alone. */
export type LetterJob = { readonly name: string; readonly pdf: Uint8Array; readonly manifest: Uint8Array };

/** What letters are set with. */
export type LetterParts = { readonly press: LetterPress; readonly window: AddressWindowName };

/** The lines of an envelope, or undefined for who has no name or no postal address. */
export function letterAddressOf({ name, postalLines }: Contact): string | undefined {
  return name === undefined || postalLines === undefined || postalLines.length === 0
    ? undefined
    : [name, ...postalLines].join('\n');
}

/** The name of an attempt's files, without their endings. */
export function letterNameOf({ delivery, attempt }: Pick<Message, 'delivery' | 'attempt'>): string {
  return `${delivery}.${attempt}`;
}

/** Sets the letter of a message; an outcome where it cannot be set. */
export async function setLetter({ press, window }: LetterParts, message: Message): Promise<LetterJob | Outcome> {
  const data = letterData(message, window);
  if (data === undefined) return { outcome: 'permanent', reason: 'address-invalid' };
  const pdf = await press.set(data, message.at);
  if (pdf === 'address-too-long') return { outcome: 'permanent', reason: 'address-invalid' };
  if (pdf === 'not-set') return { outcome: 'permanent', reason: 'message-refused' };
  const name = letterNameOf(message);
  const manifest = {
    letter: `${name}.pdf`,
    sha256: createHash('sha256').update(pdf).digest('hex'),
    bytes: pdf.length,
    ...{ notification: message.notification, category: message.category, window },
    madeAt: toInstant(message.at),
  };
  return { name, pdf, manifest: Buffer.from(`${JSON.stringify(manifest)}\n`) };
}
