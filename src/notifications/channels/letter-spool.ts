import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toInstant } from '../../kernel/clock.ts';
import { letterData } from '../letters/letter-data.ts';
import type { LetterPress } from '../letters/letter-press.ts';
import type { AddressWindowName } from '../letters/letter-template.ts';
import type { Channel, Message, Outcome, Ready } from './channel.ts';

export type LetterSpoolOptions = {
  /** The folder that the printer takes letters from: a PDF and, after it, its manifest. */
  readonly folder: string;
  readonly window: AddressWindowName;
  readonly press: LetterPress;
};

/**
 * Letters for a printer, as files in a folder. A letter is handed over by the renaming of its manifest, which names the
 * PDF with its digest; what has no manifest is not for the printer yet.
 */
export function createLetterSpool({ folder, window, press }: LetterSpoolOptions): Channel {
  const making = join(folder, 'making');
  const at = (name: string) => ({ made: join(making, name), done: join(folder, name) });
  return {
    name: 'letter',
    concurrency: 4,
    addressOf: ({ name, postalLines }) =>
      name === undefined || postalLines === undefined || postalLines.length === 0
        ? undefined
        : [name, ...postalLines].join('\n'),
    prepare: async (message: Message): Promise<Ready | Outcome> => {
      const data = letterData(message, window);
      if (data === undefined) return { outcome: 'permanent', reason: 'address-invalid' };
      const pdf = await press.set(data, message.at);
      if (pdf === undefined) return { outcome: 'permanent', reason: 'message-refused' };
      await mkdir(making, { recursive: true, mode: 0o700 });
      const name = nameOf(message);
      const [letter, manifest] = [at(`${name}.pdf`), at(`${name}.json`)];
      await writeSynced(letter.made, pdf);
      await writeSynced(manifest.made, manifestOf(message, pdf, window));
      return {
        call: async () => {
          await rename(letter.made, letter.done);
          await rename(manifest.made, manifest.done);
          await syncFolder(folder);
          return { outcome: 'sent', providerRef: name };
        },
        drop: () => void Promise.all([rm(letter.made, { force: true }), rm(manifest.made, { force: true })]),
      };
    },
    // A manifest in the spool was handed over; one that is still being made was not. Neither: the printer has it, or not.
    ask: async (attempt) => {
      const manifest = at(`${nameOf(attempt)}.json`);
      if (existsSync(manifest.done)) return { outcome: 'sent', providerRef: nameOf(attempt) };
      return existsSync(manifest.made) ? { outcome: 'temporary', reason: 'provider-unreachable' } : undefined;
    },
    close: () => press.close(),
  };
}

function nameOf({ delivery, attempt }: Pick<Message, 'delivery' | 'attempt'>): string {
  return `${delivery}.${attempt}`;
}

/** What the printer has to know; who it is for stands in the letter alone. */
function manifestOf(message: Message, pdf: Uint8Array, window: AddressWindowName): Buffer {
  const manifest = {
    letter: `${nameOf(message)}.pdf`,
    sha256: createHash('sha256').update(pdf).digest('hex'),
    bytes: pdf.length,
    ...{ notification: message.notification, category: message.category, window },
    madeAt: toInstant(message.at),
  };
  return Buffer.from(`${JSON.stringify(manifest)}\n`);
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, 'w', 0o600);
  await file.writeFile(bytes);
  await file.sync();
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}
