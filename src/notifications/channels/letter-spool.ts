import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type LetterParts, letterAddressOf, letterNameOf, setLetter } from '../letters/letter-job.ts';
import type { Channel, Message, Outcome, Ready } from './channel.ts';

/** The folder that the printer takes letters from: a PDF and, after it, its manifest. */
export type LetterSpoolOptions = LetterParts & { readonly folder: string };

/**
 * Letters for a printer, as files in a folder. A letter is handed over by the renaming of its manifest, which names the
 * PDF with its digest; what has no manifest is not for the printer yet.
 */
export function createLetterSpool({ folder, ...parts }: LetterSpoolOptions): Channel {
  const making = join(folder, 'making');
  const at = (name: string) => ({ made: join(making, name), done: join(folder, name) });
  return {
    name: 'letter',
    concurrency: 4,
    addressOf: letterAddressOf,
    prepare: async (message: Message): Promise<Ready | Outcome> => {
      const job = await setLetter(parts, message);
      if ('outcome' in job) return job;
      await mkdir(making, { recursive: true, mode: 0o700 });
      const { name } = job;
      const [letter, manifest] = [at(`${name}.pdf`), at(`${name}.json`)];
      await writeSynced(letter.made, job.pdf);
      await writeSynced(manifest.made, job.manifest);
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
      const manifest = at(`${letterNameOf(attempt)}.json`);
      if (existsSync(manifest.done)) return { outcome: 'sent', providerRef: letterNameOf(attempt) };
      return existsSync(manifest.made) ? { outcome: 'temporary', reason: 'provider-unreachable' } : undefined;
    },
    close: () => parts.press.close(),
  };
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
