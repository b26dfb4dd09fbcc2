import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../db/sync-folder.ts';
import { letterAddressOf } from '../contact/postal-address.ts';
import { type LetterDeps, letterNameOf, renderLetter } from '../letters/render-letter.ts';
import type {
  Channel,
  OnProviderFailure,
  OutgoingMessage,
  PreparedMessage,
  ProviderOutcome,
} from '../notification/channel.ts';

/** The folder that the printer takes letters from: a PDF and, after it, its manifest. */
type LetterSpoolOptions = LetterDeps & { readonly folder: string; readonly onProviderFailure?: OnProviderFailure };

type AttemptRef = Pick<OutgoingMessage, 'delivery' | 'attempt'>;

const dayMs = 86_400_000;
const unreachable = { outcome: 'temporary', reason: 'provider-unreachable' } as const;

/**
 * Letters for a printer, as files in a folder. A letter is handed over by the renaming of its manifest, which names the
 * PDF with its digest; what has no manifest is not for the printer yet. The folder is the operator's: it is never made
 * here, or letters for a share that is not mounted would lie where no printer looks.
 */
export function createLetterSpool({ folder, onProviderFailure, ...parts }: LetterSpoolOptions): Channel {
  const stagingFolder = join(folder, 'making');
  const pathsOf = (name: string) => ({ made: join(stagingFolder, name), done: join(folder, name) });
  // Without it no letter is made: at a hand-over it would be made in the empty folder that a share leaves behind.
  const stagingReady = mkdir(stagingFolder, { mode: 0o700 }).catch(() => undefined);

  const reportFailure = (fault: unknown) =>
    onProviderFailure?.(fault instanceof Error ? fault.message : 'it cannot be written to');

  function queryOutcome(attempt: AttemptRef): ProviderOutcome | undefined {
    const name = letterNameOf(attempt);
    const manifest = pathsOf(`${name}.json`);
    if (existsSync(manifest.done)) return { outcome: 'sent', providerRef: name };
    // Still being made, so it was not handed over. Neither: the printer has it, or not.
    return existsSync(manifest.made) ? unreachable : undefined;
  }

  async function handOver(attempt: AttemptRef): Promise<ProviderOutcome> {
    const name = letterNameOf(attempt);
    const [letter, manifest] = [pathsOf(`${name}.pdf`), pathsOf(`${name}.json`)];
    let isPdfMoved = false;
    try {
      await rename(letter.made, letter.done);
      isPdfMoved = true;
      await rename(manifest.made, manifest.done);
      await syncFolder(folder);
      return { outcome: 'sent', providerRef: name };
    } catch (fault) {
      // Without its PDF the manifest was not touched; else what lies there tells.
      const outcome = isPdfMoved ? (queryOutcome(attempt) ?? ({ outcome: 'unknown' } as const)) : unreachable;
      if (outcome.outcome !== 'temporary') return outcome;
      reportFailure(fault);
      await removeFiles([letter.done, letter.made, manifest.made]);
      return outcome;
    }
  }

  return {
    name: 'letter',
    concurrency: 4,
    addressOf: letterAddressOf,
    prepare: async (message: OutgoingMessage): Promise<PreparedMessage | ProviderOutcome> => {
      const job = await renderLetter(parts, message);
      if ('outcome' in job) return job;
      const made = [join(stagingFolder, `${job.name}.pdf`), join(stagingFolder, `${job.name}.json`)] as const;
      await stagingReady;
      try {
        await writeSynced(made[0], job.pdf);
        await writeSynced(made[1], job.manifest);
      } catch (fault) {
        // A full disk, a folder that is not there: nothing was handed over.
        reportFailure(fault);
        await removeFiles(made);
        return unreachable;
      }
      await removeLeftovers(folder, stagingFolder, message).catch(() => undefined);
      return { call: () => handOver(message), drop: () => void removeFiles(made) };
    },
    queryOutcome: async (attempt) => queryOutcome(attempt),
    close: () => parts.renderer.close(),
  };
}

/**
 * Takes away what crashes left: of former attempts of the delivery, which would not be tried again had they been handed
 * over, and what is older than a day. The age is by the clock of the disk that holds both.
 */
async function removeLeftovers(folder: string, stagingFolder: string, message: OutgoingMessage): Promise<void> {
  const ownName = letterNameOf(message);
  const { mtimeMs: now } = await stat(join(stagingFolder, `${ownName}.json`));
  for (const file of await readdir(stagingFolder)) {
    if (file.startsWith(`${ownName}.`)) continue;
    const path = join(stagingFolder, file);
    const former = file.startsWith(`${message.delivery}.`);
    if (former || (await stat(path)).mtimeMs < now - dayMs) await removeFiles([path]);
  }
  for (let attempt = 1; attempt < message.attempt; attempt += 1) {
    const former = join(folder, letterNameOf({ delivery: message.delivery, attempt }));
    if (!existsSync(`${former}.json`)) await removeFiles([`${former}.pdf`]);
  }
}

/** What cannot be taken away is left: it has no manifest where the printer looks. */
async function removeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true }).catch(() => undefined);
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, 'w', 0o600);
  await file.writeFile(bytes);
  await file.sync();
}
