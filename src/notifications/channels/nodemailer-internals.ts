import { buffer } from 'node:stream/consumers';
import DKIM, { type DKIMOptions } from 'nodemailer/lib/dkim';
import { encodeWord, foldLines } from 'nodemailer/lib/mime-funcs';
import { encode, wrap } from 'nodemailer/lib/qp';
import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';

/**
 * Everything that needs the internal modules of nodemailer. Two reasons keep us from its public transports. Its pool
 * queues a message again when a connection breaks after DATA, and so sends a mail twice. And its composer takes 0.8 ms of
 * processor time for a mail, against 0.04 ms for `compose-mail.ts`.
 *
 * Internal modules can change in any release. So the version is pinned, and `nodemailer-internals.test.ts` fails when
 * another one is installed. After an upgrade read the four modules again, run the SMTP, DKIM and mail tests, and change
 * this constant.
 */
export const reviewedNodemailerVersion = '10.6.0';

/** How a connection to a relay is made. */
export type SmtpConnectionOptions = SMTPConnectionOptions;

/** One session with a relay. */
export class SmtpConnection extends SMTPConnection {
  /** Sets how long the relay may be silent from now on. nodemailer itself has one limit for a whole session. */
  setReplyTimeout(ms: number): void {
    if (this._socket) this._socket.setTimeout(ms);
  }

  /** Sends what is written in this tick in one piece: nodemailer writes a message and its end separately. */
  corkUntilNextTick(): void {
    const socket = this._socket;
    if (!socket) return;
    socket.cork();
    setImmediate(() => socket.uncork());
  }
}

/** Encodes the text of a header as words of base64 (RFC 2047). */
export function encodeHeaderText(text: string): string {
  return encodeWord(text, 'B', 64);
}

/** Folds a header field into lines of at most 76 characters (RFC 5322, section 2.2.3). */
export function foldHeaderField(field: string): string {
  return foldLines(field, 76);
}

/** Encodes a body as quoted-printable with lines of at most 76 characters (RFC 2045, section 6.7). */
export function encodeQuotedPrintable(body: string): string {
  return wrap(encode(body), 74);
}

/** The mail with a DKIM signature before it. nodemailer returns the mail unsigned when it cannot sign it. */
export async function signWithDkim(options: DKIMOptions, raw: Buffer): Promise<Buffer> {
  return await buffer(new DKIM(options).sign(raw));
}
