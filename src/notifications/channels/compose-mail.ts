import { encodeWord, foldLines } from 'nodemailer/lib/mime-funcs';
import { encode, wrap } from 'nodemailer/lib/qp';
import type { Mail } from './mail.ts';

const lineEnd = '\r\n';

/**
 * The bytes of a mail (RFC 5322, RFC 2045): one part of plain text. nodemailer's own composer builds a tree of streams
 * for each mail, which costs more than sending it; of it only the encodings are used.
 */
export function composeMail(mail: Mail): Buffer {
  const body = mail.text.replaceAll(/\r\n?|\n/g, lineEnd);
  const plain = /^[\t\r\n\x20-\x7e]*$/.test(body) && body.split(lineEnd).every((line) => line.length <= 998);
  const headers: ReadonlyArray<readonly [string, string]> = [
    ['From', `${displayName(mail.from.name)} <${mail.from.address}>`],
    ['To', mail.to],
    ['Subject', headerText(mail.subject)],
    ['Date', mail.date.toUTCString().replace('GMT', '+0000')],
    ['Message-ID', mail.messageId],
    ...Object.entries(mail.headers),
    ['MIME-Version', '1.0'],
    ['Content-Type', 'text/plain; charset=utf-8'],
    ['Content-Transfer-Encoding', plain ? '7bit' : 'quoted-printable'],
  ];
  const head = headers.map(([name, value]) => foldLines(`${name}: ${value}`, 76)).join(lineEnd);
  return Buffer.from(`${head}${lineEnd}${lineEnd}${plain ? body : wrap(encode(body), 76)}`, 'utf8');
}

function displayName(name: string): string {
  return isPlain(name) ? `"${name.replaceAll(/["\\]/g, '\\$&')}"` : headerText(name);
}

function headerText(text: string): string {
  return isPlain(text) ? text : encodeWord(text, 'B', 64);
}

/** Printable ASCII in words short enough to be folded, and nothing that would be read as an encoded word. */
function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text) && !text.includes('=?') && !/\S{60}/.test(text);
}
