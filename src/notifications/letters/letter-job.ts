import { createHash } from 'node:crypto';
import { toInstant } from '../../kernel/clock.ts';
import type { Message, Outcome } from '../channels/channel.ts';
import type { ReasonCode } from '../reason.ts';
import { type LetterLayout, type LetterText, letterData } from './letter-data.ts';
import type { LetterPress } from './letter-press.ts';
import type { LetterFault } from './letter-process.ts';

/** A letter that is set, with what the printer has to know; who it is for stands in the letter alone. */
type LetterJob = { readonly name: string; readonly pdf: Uint8Array; readonly manifest: Uint8Array };

/** What letters are set with. */
export type LetterParts = LetterLayout & { readonly press: LetterPress };

/** The name of an attempt's files, without their endings. */
export function letterNameOf({ delivery, attempt }: Pick<Message, 'delivery' | 'attempt'>): string {
  return `${delivery}.${attempt}`;
}

const reasons = {
  'address-too-long': 'address-invalid',
  'no-glyph': 'letter-unprintable',
  'not-set': 'message-refused',
} as const satisfies Record<LetterFault, ReasonCode>;

/** The PDF of a letter, or why it cannot be printed. Rejects when the press broke. */
export async function printLetter(
  { press, ...layout }: LetterParts,
  letter: LetterText,
): Promise<Uint8Array | ReasonCode> {
  const data = letterData(letter, layout);
  if (data === undefined) return 'address-invalid';
  const set = await press.set(data, letter.at);
  return typeof set === 'string' ? reasons[set] : set;
}

/** Sets the letter of a message; an outcome where it cannot be set. */
export async function setLetter(parts: LetterParts, message: Message): Promise<LetterJob | Outcome> {
  const pdf = await printLetter(parts, message);
  if (typeof pdf === 'string') return { outcome: 'permanent', reason: pdf };
  const name = letterNameOf(message);
  const manifest = {
    letter: `${name}.pdf`,
    sha256: createHash('sha256').update(pdf).digest('hex'),
    bytes: pdf.length,
    ...{ notification: message.notification, category: message.category, window: parts.window },
    madeAt: toInstant(message.at),
  };
  return { name, pdf, manifest: Buffer.from(`${JSON.stringify(manifest)}\n`) };
}
