import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../store/sync-folder.ts';
import { letterAddressOf } from '../contact/postal-address.ts';
import { type LetterParts, letterNameOf, setLetter } from '../letters/letter-job.ts';
import type { Channel, Message, OnTrouble, Outcome, Ready } from './channel.ts';

/** The folder that the printer takes letters from: a PDF and, after it, its manifest. */
type LetterSpoolOptions = LetterParts & { readonly folder: string; readonly onTrouble?: OnTrouble };

type Attempt = Pick<Message, 'delivery' | 'attempt'>;

const dayMs = 86_400_000;
const unreachable = { outcome: 'temporary', reason: 'provider-unreachable' } as const;

/**
 * Letters for a printer, as files in a folder. A letter is handed over by the renaming of its manifest, which names the
 * PDF with its digest; what has no manifest is not for the printer yet. The folder is the operator's: it is never made
 * here, or letters for a share that is not mounted would lie where no printer looks.
 */
export function createLetterSpool({ folder, onTrouble, ...parts }: LetterSpoolOptions): Channel {
  const making = join(folder, 'making');
  const at = (name: string) => ({ made: join(making, name), done: join(folder, name) });
  // Without it no letter is made: at a hand-over it would be made in the empty folder that a share leaves behind.
  const begun = mkdir(making, { mode: 0o700 }).catch(() => undefined);

  const tell = (fault: unknown) => onTrouble?.(fault instanceof Error ? fault.message : 'it cannot be written to');

  function ask(attempt: Attempt): Outcome | undefined {
    const name = letterNameOf(attempt);
    const manifest = at(`${name}.json`);
    if (existsSync(manifest.done)) return { outcome: 'sent', providerRef: name };
    // Still being made, so it was not handed over. Neither: the printer has it, or not.
    return existsSync(manifest.made) ? unreachable : undefined;
  }

  async function handOver(attempt: Attempt): Promise<Outcome> {
    const name = letterNameOf(attempt);
    const [letter, manifest] = [at(`${name}.pdf`), at(`${name}.json`)];
    let lies = false;
    try {
      await rename(letter.made, letter.done);
      lies = true;
      await rename(manifest.made, manifest.done);
      await syncFolder(folder);
      return { outcome: 'sent', providerRef: name };
    } catch (fault) {
      // Without its PDF the manifest was not touched; else what lies there tells.
      const outcome = lies ? (ask(attempt) ?? ({ outcome: 'unknown' } as const)) : unreachable;
      if (outcome.outcome !== 'temporary') return outcome;
      tell(fault);
      await removeAll([letter.done, letter.made, manifest.made]);
      return outcome;
    }
  }

  return {
    name: 'letter',
    concurrency: 4,
    addressOf: letterAddressOf,
    prepare: async (message: Message): Promise<Ready | Outcome> => {
      const job = await setLetter(parts, message);
      if ('outcome' in job) return job;
      const made = [join(making, `${job.name}.pdf`), join(making, `${job.name}.json`)] as const;
      await begun;
      try {
        await writeSynced(made[0], job.pdf);
        await writeSynced(made[1], job.manifest);
      } catch (fault) {
        // A full disk, a folder that is not there: nothing was handed over.
        tell(fault);
        await removeAll(made);
        return unreachable;
      }
      await sweep(folder, making, message).catch(() => undefined);
      return { call: () => handOver(message), drop: () => void removeAll(made) };
    },
    ask: async (attempt) => ask(attempt),
    close: () => parts.press.close(),
  };
}

/**
 * Takes away what crashes left: of former attempts of the delivery, which would not be tried again had they been handed
 * over, and what is older than a day. The age is by the clock of the disk that holds both.
 */
async function sweep(folder: string, making: string, message: Message): Promise<void> {
  const own = letterNameOf(message);
  const { mtimeMs: now } = await stat(join(making, `${own}.json`));
  for (const file of await readdir(making)) {
    if (file.startsWith(`${own}.`)) continue;
    const path = join(making, file);
    const former = file.startsWith(`${message.delivery}.`);
    if (former || (await stat(path)).mtimeMs < now - dayMs) await removeAll([path]);
  }
  for (let attempt = 1; attempt < message.attempt; attempt += 1) {
    const former = join(folder, letterNameOf({ delivery: message.delivery, attempt }));
    if (!existsSync(`${former}.json`)) await removeAll([`${former}.pdf`]);
  }
}

/** What cannot be taken away is left: it has no manifest where the printer looks. */
async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true }).catch(() => undefined);
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, 'w', 0o600);
  await file.writeFile(bytes);
  await file.sync();
}
