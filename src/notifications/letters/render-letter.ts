import { createHash } from 'node:crypto';
import { formatInstant } from '../../kernel/clock.ts';
import type { OutgoingMessage, ProviderOutcome } from '../notification/channel.ts';
import type { ReasonCode } from '../notification/reason.ts';
import { type LetterInput, type LetterLayout, letterTemplateData } from './letter-data.ts';
import type { LetterFault } from './letter-process.ts';
import type { LetterRenderer } from './letter-renderer.ts';

/** A rendered letter with its manifest for the printer. Only the PDF names the citizen. */
type RenderedLetter = { readonly name: string; readonly pdf: Uint8Array; readonly manifest: Uint8Array };

/** The layout of letters and their renderer. */
export type LetterDeps = LetterLayout & { readonly renderer: LetterRenderer };

/** The name of an attempt's files, without their extension. */
export function letterNameOf({ delivery, attempt }: Pick<OutgoingMessage, 'delivery' | 'attempt'>): string {
  return `${delivery}.${attempt}`;
}

const reasonOfFault = {
  'address-too-long': 'address-invalid',
  'no-glyph': 'letter-unprintable',
  'not-set': 'message-refused',
} as const satisfies Record<LetterFault, ReasonCode>;

/** The PDF of a letter, or why it cannot be printed. Rejects if the typesetter failed. */
export async function renderLetterPdf(
  { renderer, ...layout }: LetterDeps,
  letter: LetterInput,
): Promise<Uint8Array | ReasonCode> {
  const data = letterTemplateData(letter, layout);
  if (data === undefined) return 'address-invalid';
  const rendered = await renderer.render(data, letter.at);
  return typeof rendered === 'string' ? reasonOfFault[rendered] : rendered;
}

/** Renders the letter of a message; a permanent outcome if it cannot be printed. */
export async function renderLetter(
  deps: LetterDeps,
  message: OutgoingMessage,
): Promise<RenderedLetter | ProviderOutcome> {
  const pdf = await renderLetterPdf(deps, message);
  if (typeof pdf === 'string') return { outcome: 'permanent', reason: pdf };
  const name = letterNameOf(message);
  const manifest = {
    letter: `${name}.pdf`,
    sha256: createHash('sha256').update(pdf).digest('hex'),
    bytes: pdf.length,
    notification: message.notification,
    category: message.category,
    window: deps.window,
    madeAt: formatInstant(message.at),
  };
  return { name, pdf, manifest: Buffer.from(`${JSON.stringify(manifest)}\n`) };
}
