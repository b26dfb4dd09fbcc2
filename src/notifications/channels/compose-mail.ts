import { createHash } from 'node:crypto';
import type { Mail } from './mail.ts';
import { encodeHeaderText, encodeQuotedPrintable, foldHeaderField } from './nodemailer-internals.ts';

const crlf = '\r\n';

/**
 * The bytes of a mail (RFC 5322, RFC 2045): one part of plain text, and where the message has structure an HTML part as
 * the alternative (RFC 2046, section 5.1.4).
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
  const text = mimePartOf('plain', mail.text);
  if (mail.html === undefined) return mailBytes([...headers, ...text.headers], text.body);
  // No part contains the boundary: quoted-printable has no `=_`, and no author of a message knows its Message-ID.
  const boundary = `=_${createHash('sha256').update(mail.messageId).digest('hex').slice(0, 32)}`;
  const parts = [text, mimePartOf('html', mail.html)].map(
    (part) => `--${boundary}${crlf}${headerLines(part.headers)}${crlf}${crlf}${part.body}${crlf}`,
  );
  const type = ['Content-Type', `multipart/alternative; boundary="${boundary}"`] as const;
  return mailBytes([...headers, type], `${parts.join('')}--${boundary}--${crlf}`);
}

type Headers = ReadonlyArray<readonly [string, string]>;

function mimePartOf(kind: 'plain' | 'html', text: string): { readonly headers: Headers; readonly body: string } {
  const body = text.replaceAll(/\r\n?|\n/g, crlf);
  const isSafeLine = (line: string) => line.length <= 998 && !line.startsWith('From ');
  const is7bit = /^[\t\r\n\x20-\x7e]*$/.test(body) && body.split(crlf).every(isSafeLine);
  return {
    headers: [
      ['Content-Type', `text/${kind}; charset=utf-8`],
      ['Content-Transfer-Encoding', is7bit ? '7bit' : 'quoted-printable'],
    ],
    body: is7bit ? body : quotedPrintable(body),
  };
}

/** No line begins with `From `: mailbox files (RFC 4155) would get a `>` before it, which breaks a signature. */
function quotedPrintable(body: string): string {
  return encodeQuotedPrintable(body).replaceAll(/^From /gm, '=46rom ');
}

function mailBytes(headers: Headers, body: string): Buffer {
  return Buffer.from(`${headerLines(headers)}${crlf}${crlf}${body}`, 'utf8');
}

function headerLines(headers: Headers): string {
  return headers.map(([name, value]) => foldHeaderField(`${name}: ${value}`)).join(crlf);
}

function displayName(name: string): string {
  return isPlain(name) ? `"${name.replaceAll(/["\\]/g, '\\$&')}"` : headerText(name);
}

function headerText(text: string): string {
  return isPlain(text) ? text : encodeHeaderText(text);
}

/** True for printable ASCII with words short enough to fold, and without the start of an encoded word. */
function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text) && !text.includes('=?') && !/\S{60}/.test(text);
}
