import { type LetterParts, letterAddressOf, letterNameOf, setLetter } from '../letters/letter-job.ts';
import type { Channel, Message, Outcome, Ready } from './channel.ts';
import { openSftp, type SftpPlace, type SftpSession, SftpUnopened } from './sftp-session.ts';

export type LetterSftpOptions = LetterParts & { readonly place: SftpPlace };

/** The name under which a file is written; under its own it is for the printer. */
const part = (name: string) => `${name}.part`;

/**
 * Letters for a printer that takes them by SFTP. Each file is written under another name first; the letter is handed over
 * by the renaming of its manifest, after that of the PDF.
 */
export function createLetterSftp({ place, ...parts }: LetterSftpOptions): Channel {
  const idle: SftpSession[] = [];
  const take = async (): Promise<SftpSession> => {
    for (let session = idle.pop(); session !== undefined; session = idle.pop()) if (session.isOpen()) return session;
    return await openSftp(place);
  };
  const giveBack = (session: SftpSession) => void (session.isOpen() && idle.push(session));

  async function ask(attempt: Pick<Message, 'delivery' | 'attempt'>): Promise<Outcome | undefined> {
    const name = letterNameOf(attempt);
    const session = await take();
    try {
      if (await session.exists(`${name}.json`)) return { outcome: 'sent', providerRef: name };
      // It is still there under its first name, so it was not handed over. Neither: the printer has it, or not.
      const unsent = await session.exists(part(`${name}.json`));
      return unsent ? { outcome: 'temporary', reason: 'provider-unreachable' } : undefined;
    } finally {
      giveBack(session);
    }
  }

  async function handOver(session: SftpSession, message: Message): Promise<Outcome> {
    const name = letterNameOf(message);
    try {
      for (const file of [`${name}.pdf`, `${name}.json`]) await session.rename(part(file), file);
      return { outcome: 'sent', providerRef: name };
    } catch {
      // The answer was lost, or it was a refusal: what lies there tells.
      return (await ask(message).catch(() => undefined)) ?? { outcome: 'unknown' };
    } finally {
      giveBack(session);
    }
  }

  return {
    name: 'letter',
    concurrency: 4,
    addressOf: letterAddressOf,
    prepare: async (message: Message): Promise<Ready | Outcome> => {
      const job = await setLetter(parts, message);
      if ('outcome' in job) return job;
      const files = [`${job.name}.pdf`, `${job.name}.json`] as const;
      const opened = await take().catch((fault: unknown) => fault);
      if (opened instanceof SftpUnopened) {
        return { outcome: 'temporary', reason: opened.refused ? 'provider-refuses-us' : 'provider-unreachable' };
      }
      if (!isSession(opened)) throw opened;
      try {
        await opened.put(part(files[0]), job.pdf);
        await opened.put(part(files[1]), job.manifest);
      } catch {
        // A full disk, a folder that is not there, a lost connection: nothing was handed over.
        await removeAll(opened, files);
        opened.end();
        return { outcome: 'temporary', reason: 'provider-unreachable' };
      }
      return {
        call: () => handOver(opened, message),
        drop: () => void removeAll(opened, files).then(() => giveBack(opened)),
      };
    },
    ask,
    close: async () => {
      for (const session of idle.splice(0)) session.end();
      await parts.press.close();
    },
  };
}

function isSession(opened: unknown): opened is SftpSession {
  return typeof opened === 'object' && opened !== null && 'put' in opened;
}

/** Takes away what was not handed over; what cannot be is left, under a name that is not for the printer. */
async function removeAll(session: SftpSession, files: readonly string[]): Promise<void> {
  for (const file of files) await session.remove(part(file)).catch(() => undefined);
}
