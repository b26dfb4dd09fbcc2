import { letterAddressOf } from '../contact/postal-address.ts';
import { type LetterParts, letterNameOf, setLetter } from '../letters/letter-job.ts';
import type { Channel, Message, OnTrouble, Outcome, Ready } from './channel.ts';
import { openSftp, type SftpPlace, type SftpSession, SftpUnopened } from './sftp-session.ts';

type LetterSftpOptions = LetterParts & { readonly place: SftpPlace; readonly onTrouble?: OnTrouble };

/** The name under which a file is written; under its own it is for the printer. */
const part = (name: string) => `${name}.part`;
const unreachable = { outcome: 'temporary', reason: 'provider-unreachable' } as const;
const unknown = { outcome: 'unknown' } as const;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Letters for a printer that takes them by SFTP. Each file is written under another name first; the letter is handed over
 * by the renaming of its manifest, after that of the PDF.
 */
export function createLetterSftp({ place, onTrouble, ...parts }: LetterSftpOptions): Channel {
  const { take, giveBack, within, end } = sessionsAt(place);
  let nextSweepAt = 0;
  const tell = (fault: unknown) => onTrouble?.(fault instanceof Error ? fault.message : 'it cannot be written to');

  async function ask(attempt: Pick<Message, 'delivery' | 'attempt'>): Promise<Outcome | undefined> {
    const name = letterNameOf(attempt);
    return await within(async (session) => {
      if (await session.exists(`${name}.json`)) return { outcome: 'sent', providerRef: name };
      // It is still there under its first name, so it was not handed over. Neither: the printer has it, or not.
      return (await session.exists(part(`${name}.json`))) ? unreachable : undefined;
    });
  }

  async function handOver(session: SftpSession, message: Message): Promise<Outcome> {
    const name = letterNameOf(message);
    let mayBeMade = false;
    try {
      await session.rename(part(`${name}.pdf`), `${name}.pdf`);
      mayBeMade = true;
      await session.rename(part(`${name}.json`), `${name}.json`);
      return { outcome: 'sent', providerRef: name };
    } catch (fault) {
      // The answer was lost, or it was a refusal: what lies there tells.
      const found = (await ask(message).catch(() => undefined)) ?? unknown;
      if (found.outcome !== 'temporary') return found;
      // A session that is open has brought a refusal. Else the renaming may be made yet, unless its file is taken back.
      const left = mayBeMade && !session.isOpen() ? unknown : found;
      const outcome = await within((other) => takeBack(other, name)).catch(() => left);
      if (outcome.outcome === 'temporary') tell(fault);
      return outcome;
    } finally {
      giveBack(session);
    }
  }

  async function sweep(session: SftpSession, message: Message): Promise<void> {
    const whole = message.at >= nextSweepAt;
    if (!whole && message.attempt === 1) return;
    if (whole) nextSweepAt = message.at + hourMs;
    await takeLeft(session, letterNameOf(message), whole);
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
        onTrouble?.([opened.message, opened.cause instanceof Error ? opened.cause.message : ''].join(': '));
        return { outcome: 'temporary', reason: opened.refused ? 'provider-refuses-us' : 'provider-unreachable' };
      }
      if (!isSession(opened)) throw opened;
      try {
        await opened.put(part(files[0]), job.pdf);
        await opened.put(part(files[1]), job.manifest);
      } catch (fault) {
        // A full disk, a folder that is not there, a lost connection: nothing was handed over.
        tell(fault);
        await removeAll(opened, files);
        opened.end();
        return unreachable;
      }
      // What cannot be taken away now is so by a later letter.
      await sweep(opened, message).catch(() => undefined);
      return {
        call: () => handOver(opened, message),
        drop: () => void removeAll(opened, files).then(() => giveBack(opened)),
      };
    },
    ask,
    close: async () => {
      end();
      await parts.press.close();
    },
  };
}

/** Sessions that are kept between letters. */
function sessionsAt(place: SftpPlace) {
  const idle: SftpSession[] = [];
  let ended = false;
  const take = async (): Promise<SftpSession> => {
    for (let session = idle.pop(); session !== undefined; session = idle.pop()) if (session.isOpen()) return session;
    return await openSftp(place);
  };
  const giveBack = (session: SftpSession) => {
    if (ended) session.end();
    else if (session.isOpen()) idle.push(session);
  };
  const within = async <T>(work: (session: SftpSession) => Promise<T>): Promise<T> => {
    const session = await take();
    try {
      return await work(session);
    } finally {
      giveBack(session);
    }
  };
  const end = () => {
    ended = true;
    for (const session of idle.splice(0)) session.end();
  };
  return { take, giveBack, within, end };
}

/**
 * Takes away what crashes left: of former attempts of the delivery, and of others a day and more ago, by the clock that the
 * manifest written just now has.
 */
async function takeLeft(session: SftpSession, own: string, whole: boolean): Promise<void> {
  const files = await session.list();
  const now = files.find(({ name }) => name === part(`${own}.json`))?.writtenAt ?? 0;
  const formers = new Set<string>();
  for (const { name: file, writtenAt } of files) {
    const [, name = '', delivery = ''] = /^((dlv_\w{26})\.\d+)\.(?:pdf|json)(?:\.part)?$/.exec(file) ?? [];
    if (name === '' || name === own) continue;
    if (own.startsWith(`${delivery}.`)) formers.add(name);
    else if (whole && file.endsWith('.part') && writtenAt < now - dayMs) await session.remove(file);
  }
  for (const former of formers) await takeBack(session, former);
}

function isSession(opened: unknown): opened is SftpSession {
  return typeof opened === 'object' && opened !== null && 'put' in opened;
}

/**
 * Takes back a letter that was not handed over, its manifest first: a renaming whose answer was lost may be made meanwhile,
 * and then the printer has the letter.
 */
async function takeBack(session: SftpSession, name: string): Promise<Outcome> {
  await session.remove(part(`${name}.json`));
  if (await session.exists(`${name}.json`)) return { outcome: 'sent', providerRef: name };
  for (const file of [part(`${name}.pdf`), `${name}.pdf`]) await session.remove(file).catch(() => undefined);
  return unreachable;
}

/** Takes away what was not handed over; what cannot be is left, under a name that is not for the printer. */
async function removeAll(session: SftpSession, files: readonly string[]): Promise<void> {
  for (const file of files) await session.remove(part(file)).catch(() => undefined);
}
