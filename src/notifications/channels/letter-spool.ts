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

/** `folder` is where the printer takes letters from. */
type LetterSpoolOptions = LetterDeps & { readonly folder: string; readonly onProviderFailure?: OnProviderFailure };

type AttemptRef = Pick<OutgoingMessage, 'delivery' | 'attempt'>;

const dayMs = 86_400_000;
const unreachable = { outcome: 'temporary', reason: 'provider-unreachable' } as const;

/**
 * Creates the channel for letters to a printer, as files in a folder. `making/NAME.pdf` and `making/NAME.json` are written
 * and synced first. Then the PDF is renamed into the folder, and after it the manifest, which names the PDF with its digest.
 * The rename of the manifest hands the letter over: the printer ignores a PDF without a manifest.
 *
 * The server never creates the folder itself. On a share that is not mounted, letters would go where no printer looks.
 */
export function createLetterSpool({ folder, onProviderFailure, ...letterDeps }: LetterSpoolOptions): Channel {
  const staging = join(folder, 'making');
  // Created at the start only. Later it could be created in the empty mount point of a share.
  const stagingReady = mkdir(staging, { mode: 0o700 }).catch(() => undefined);
  const spool: Spool = {
    folder,
    staging,
    reportFailure: (fault) =>
      onProviderFailure?.(fault instanceof Error ? fault.message : 'the server cannot write to it'),
  };
  return {
    name: 'letter',
    concurrency: 4,
    addressOf: letterAddressOf,
    prepare: async (message: OutgoingMessage): Promise<PreparedMessage | ProviderOutcome> => {
      const letter = await renderLetter(letterDeps, message);
      if ('outcome' in letter) return letter;
      const files = [join(staging, `${letter.name}.pdf`), join(staging, `${letter.name}.json`)] as const;
      await stagingReady;
      try {
        await writeSynced(files[0], letter.pdf);
        await writeSynced(files[1], letter.manifest);
      } catch (fault) {
        // The disk is full, or the folder is missing: nothing was handed over.
        spool.reportFailure(fault);
        await removeFiles(files);
        return unreachable;
      }
      await removeLeftovers(spool, message).catch(() => undefined);
      return { call: () => handOver(spool, message), drop: () => void removeFiles(files) };
    },
    queryOutcome: async (attempt) => findOutcome(spool, attempt),
    close: () => letterDeps.renderer.close(),
  };
}

type Spool = {
  readonly folder: string;
  readonly staging: string;
  reportFailure(fault: unknown): void;
};

/** The outcome of an attempt by the position of its manifest; undefined when it has none, because the printer may have taken it. */
function findOutcome({ folder, staging }: Spool, attempt: AttemptRef): ProviderOutcome | undefined {
  const name = letterNameOf(attempt);
  if (existsSync(join(folder, `${name}.json`))) return { outcome: 'sent', providerRef: name };
  return existsSync(join(staging, `${name}.json`)) ? unreachable : undefined;
}

async function handOver(spool: Spool, attempt: AttemptRef): Promise<ProviderOutcome> {
  const { folder, staging } = spool;
  const name = letterNameOf(attempt);
  let isPdfMoved = false;
  try {
    await rename(join(staging, `${name}.pdf`), join(folder, `${name}.pdf`));
    isPdfMoved = true;
    await rename(join(staging, `${name}.json`), join(folder, `${name}.json`));
    await syncFolder(folder);
    return { outcome: 'sent', providerRef: name };
  } catch (fault) {
    // Without the PDF, the rename of the manifest was not tried. Otherwise the position of the manifest decides.
    const outcome = isPdfMoved ? (findOutcome(spool, attempt) ?? ({ outcome: 'unknown' } as const)) : unreachable;
    if (outcome.outcome !== 'temporary') return outcome;
    spool.reportFailure(fault);
    await removeFiles([join(folder, `${name}.pdf`), join(staging, `${name}.pdf`), join(staging, `${name}.json`)]);
    return outcome;
  }
}

/**
 * Removes files that crashes left behind: those of earlier attempts of the delivery, which were not handed over because
 * the delivery is tried again, and staged files older than a day by the clock of the disk.
 */
async function removeLeftovers({ folder, staging }: Spool, message: OutgoingMessage): Promise<void> {
  const ownName = letterNameOf(message);
  const { mtimeMs: now } = await stat(join(staging, `${ownName}.json`));
  for (const file of await readdir(staging)) {
    if (file.startsWith(`${ownName}.`)) continue;
    const path = join(staging, file);
    const isEarlierAttempt = file.startsWith(`${message.delivery}.`);
    if (isEarlierAttempt || (await stat(path)).mtimeMs < now - dayMs) await removeFiles([path]);
  }
  for (let attempt = 1; attempt < message.attempt; attempt += 1) {
    const earlier = join(folder, letterNameOf({ delivery: message.delivery, attempt }));
    if (!existsSync(`${earlier}.json`)) await removeFiles([`${earlier}.pdf`]);
  }
}

/** Removes files; one that cannot be removed is left, because the printer ignores it without a manifest. */
async function removeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true }).catch(() => undefined);
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, 'w', 0o600);
  await file.writeFile(bytes);
  await file.sync();
}
