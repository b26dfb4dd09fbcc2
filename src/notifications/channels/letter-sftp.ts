import { letterAddressOf } from '../contact/postal-address.ts';
import { type LetterDeps, letterNameOf, renderLetter } from '../letters/render-letter.ts';
import type {
  Channel,
  OnProviderFailure,
  OutgoingMessage,
  PreparedMessage,
  ProviderOutcome,
} from '../notification/channel.ts';
import { openSftpSession, type SftpSession, type SftpTarget, SftpUnopened } from './sftp-session.ts';

type LetterSftpOptions = LetterDeps & { readonly target: SftpTarget; readonly onProviderFailure?: OnProviderFailure };

/** The name under which a file is written; under its own it is for the printer. */
const partNameOf = (name: string) => `${name}.part`;
const unreachable = { outcome: 'temporary', reason: 'provider-unreachable' } as const;
const unknown = { outcome: 'unknown' } as const;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Letters for a printer that takes them by SFTP. Each file is written under another name first; the letter is handed over
 * by the renaming of its manifest, after that of the PDF.
 */
export function createLetterSftp({ target, onProviderFailure, ...parts }: LetterSftpOptions): Channel {
  const { take: acquire, giveBack: release, within: withSession, end: closeAll } = createSessionPool(target);
  let nextSweepAt = 0;
  const reportFailure = (fault: unknown) =>
    onProviderFailure?.(fault instanceof Error ? fault.message : 'it cannot be written to');

  async function queryOutcome(
    attempt: Pick<OutgoingMessage, 'delivery' | 'attempt'>,
  ): Promise<ProviderOutcome | undefined> {
    const name = letterNameOf(attempt);
    return await withSession(async (session) => {
      if (await session.exists(`${name}.json`)) return { outcome: 'sent', providerRef: name };
      // It is still there under its first name, so it was not handed over. Neither: the printer has it, or not.
      return (await session.exists(partNameOf(`${name}.json`))) ? unreachable : undefined;
    });
  }

  async function handOver(session: SftpSession, message: OutgoingMessage): Promise<ProviderOutcome> {
    const name = letterNameOf(message);
    let mayBeRenamed = false;
    try {
      await session.rename(partNameOf(`${name}.pdf`), `${name}.pdf`);
      mayBeRenamed = true;
      await session.rename(partNameOf(`${name}.json`), `${name}.json`);
      return { outcome: 'sent', providerRef: name };
    } catch (fault) {
      // The answer was lost, or it was a refusal: what lies there tells.
      const found = (await queryOutcome(message).catch(() => undefined)) ?? unknown;
      if (found.outcome !== 'temporary') return found;
      // A session that is open has brought a refusal. Else the renaming may be made yet, unless its file is taken back.
      const left = mayBeRenamed && !session.isOpen() ? unknown : found;
      const outcome = await withSession((other) => withdrawLetter(other, name)).catch(() => left);
      if (outcome.outcome === 'temporary') reportFailure(fault);
      return outcome;
    } finally {
      release(session);
    }
  }

  async function sweepLeftovers(session: SftpSession, message: OutgoingMessage): Promise<void> {
    const isFullSweep = message.at >= nextSweepAt;
    if (!isFullSweep && message.attempt === 1) return;
    if (isFullSweep) nextSweepAt = message.at + hourMs;
    await removeLeftovers(session, letterNameOf(message), isFullSweep);
  }

  return {
    name: 'letter',
    concurrency: 4,
    addressOf: letterAddressOf,
    prepare: async (message: OutgoingMessage): Promise<PreparedMessage | ProviderOutcome> => {
      const job = await renderLetter(parts, message);
      if ('outcome' in job) return job;
      const files = [`${job.name}.pdf`, `${job.name}.json`] as const;
      const opened = await acquire().catch((fault: unknown) => fault);
      if (opened instanceof SftpUnopened) {
        onProviderFailure?.([opened.message, opened.cause instanceof Error ? opened.cause.message : ''].join(': '));
        return { outcome: 'temporary', reason: opened.refused ? 'provider-refuses-us' : 'provider-unreachable' };
      }
      if (!isSession(opened)) throw opened;
      try {
        await opened.put(partNameOf(files[0]), job.pdf);
        await opened.put(partNameOf(files[1]), job.manifest);
      } catch (fault) {
        // A full disk, a folder that is not there, a lost connection: nothing was handed over.
        reportFailure(fault);
        await removePartFiles(opened, files);
        opened.end();
        return unreachable;
      }
      // What cannot be taken away now is so by a later letter.
      await sweepLeftovers(opened, message).catch(() => undefined);
      return {
        call: () => handOver(opened, message),
        drop: () => void removePartFiles(opened, files).then(() => release(opened)),
      };
    },
    queryOutcome,
    close: async () => {
      closeAll();
      await parts.renderer.close();
    },
  };
}

/** Sessions that are kept between letters. */
function createSessionPool(target: SftpTarget) {
  const idle: SftpSession[] = [];
  let ended = false;
  const acquire = async (): Promise<SftpSession> => {
    for (let session = idle.pop(); session !== undefined; session = idle.pop()) if (session.isOpen()) return session;
    return await openSftpSession(target);
  };
  const release = (session: SftpSession) => {
    if (ended) session.end();
    else if (session.isOpen()) idle.push(session);
  };
  const withSession = async <T>(work: (session: SftpSession) => Promise<T>): Promise<T> => {
    const session = await acquire();
    try {
      return await work(session);
    } finally {
      release(session);
    }
  };
  const closeAll = () => {
    ended = true;
    for (const session of idle.splice(0)) session.end();
  };
  return { take: acquire, giveBack: release, within: withSession, end: closeAll };
}

/**
 * Takes away what crashes left: of former attempts of the delivery, and of others a day and more ago, by the clock that the
 * manifest written just now has.
 */
async function removeLeftovers(session: SftpSession, ownName: string, isFullSweep: boolean): Promise<void> {
  const files = await session.list();
  const now = files.find(({ name }) => name === partNameOf(`${ownName}.json`))?.writtenAt ?? 0;
  const formers = new Set<string>();
  for (const { name: file, writtenAt } of files) {
    const [, name = '', delivery = ''] = /^((dlv_\w{26})\.\d+)\.(?:pdf|json)(?:\.part)?$/.exec(file) ?? [];
    if (name === '' || name === ownName) continue;
    if (ownName.startsWith(`${delivery}.`)) formers.add(name);
    else if (isFullSweep && file.endsWith('.part') && writtenAt < now - dayMs) await session.remove(file);
  }
  for (const former of formers) await withdrawLetter(session, former);
}

function isSession(opened: unknown): opened is SftpSession {
  return typeof opened === 'object' && opened !== null && 'put' in opened;
}

/**
 * Takes back a letter that was not handed over, its manifest first: a renaming whose answer was lost may be made meanwhile,
 * and then the printer has the letter.
 */
async function withdrawLetter(session: SftpSession, name: string): Promise<ProviderOutcome> {
  await session.remove(partNameOf(`${name}.json`));
  if (await session.exists(`${name}.json`)) return { outcome: 'sent', providerRef: name };
  for (const file of [partNameOf(`${name}.pdf`), `${name}.pdf`]) await session.remove(file).catch(() => undefined);
  return unreachable;
}

/** Takes away what was not handed over; what cannot be is left, under a name that is not for the printer. */
async function removePartFiles(session: SftpSession, files: readonly string[]): Promise<void> {
  for (const file of files) await session.remove(partNameOf(file)).catch(() => undefined);
}
