import { createHash } from 'node:crypto';
import { encodeWord, foldLines } from 'nodemailer/lib/mime-funcs';
import { encode, wrap } from 'nodemailer/lib/qp';
import type { Mail } from './mail.ts';

const lineEnd = '\r\n';

/**
 * The bytes of a mail (RFC 5322, RFC 2045): one part of plain text, and where the message has structure a page beside
 * it (RFC 2046, section 5.1.4). nodemailer's own composer builds a tree of streams for each mail, which costs more than
 * sending it; of it only the encodings are used.
 */
export function composeMail(mail: Mail): Buffer {
  const headers: ReadonlyArray<readonly [string, string]> = [
    ['From', `${displayName(mail.from.name)} <${mail.from.address}>`],
    ['To', mail.to],
    ['Subject', headerText(mail.subject)],
    ['Date', mail.date.toUTCString().replace('GMT', '+0000')],
    ['Message-ID', mail.messageId],
    ...Object.entries(mail.headers),
    ['MIME-Version', '1.0'],
  ];
  const text = partOf('plain', mail.text);
  if (mail.html === undefined) return bytesOf([...headers, ...text.headers], text.body);
  // The boundary cannot stand in a part: its lines begin with an equals sign that no encoded line has.
  const boundary = `=_${createHash('sha256').update(mail.messageId).digest('hex').slice(0, 32)}`;
  const parts = [text, partOf('html', mail.html)].map(
    (part) => `--${boundary}${lineEnd}${headText(part.headers)}${lineEnd}${lineEnd}${part.body}${lineEnd}`,
  );
  const type = ['Content-Type', `multipart/alternative; boundary="${boundary}"`] as const;
  return bytesOf([...headers, type], `${parts.join('')}--${boundary}--${lineEnd}`);
}

type Headers = ReadonlyArray<readonly [string, string]>;

function partOf(kind: 'plain' | 'html', text: string): { readonly headers: Headers; readonly body: string } {
  const body = text.replaceAll(/\r\n?|\n/g, lineEnd);
  const goesAsItIs = (line: string) => line.length <= 998 && !line.startsWith('From ');
  const plain = /^[\t\r\n\x20-\x7e]*$/.test(body) && body.split(lineEnd).every(goesAsItIs);
  return {
    headers: [
      ['Content-Type', `text/${kind}; charset=utf-8`],
      ['Content-Transfer-Encoding', plain ? '7bit' : 'quoted-printable'],
    ],
    body: plain ? body : quotedPrintable(body),
  };
}

/**
 * Lines of at most 76 characters (RFC 2045, section 6.7). None begins with `From `, or who keeps mails in one file (RFC 4155)
 * would put a > before it.
 */
function quotedPrintable(body: string): string {
  return wrap(encode(body), 74).replaceAll(/^From /gm, '=46rom ');
}

function bytesOf(headers: Headers, body: string): Buffer {
  return Buffer.from(`${headText(headers)}${lineEnd}${lineEnd}${body}`, 'utf8');
}

function headText(headers: Headers): string {
  return headers.map(([name, value]) => foldLines(`${name}: ${value}`, 76)).join(lineEnd);
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
