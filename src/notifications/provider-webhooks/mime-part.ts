/** A mail or a part of one (RFC 2045): the header with unfolded fields, and the encoded body. Lines end with \n. */
type MimePart = { readonly head: string; readonly body: string };

/** Splits a raw mail into header and body. */
export function parseMail(raw: string): MimePart {
  return parsePart(raw.replaceAll('\r\n', '\n'));
}

function parsePart(text: string): MimePart {
  const end = text.startsWith('\n') ? 0 : text.search(/\n[ \t]*\n/) + 1;
  const head = end === 0 && !text.startsWith('\n') ? text : text.slice(0, end);
  return { head: unfoldHeader(head), body: text.slice(head.length).replace(/^[ \t]*\n/, '') };
}

/** The value of the first field with that name, which is in lower case; empty without one. */
export function headerFieldOf(head: string, name: string): string {
  const line = head.split('\n').find((candidate) => candidate.toLowerCase().startsWith(`${name}:`));
  return line === undefined ? '' : line.slice(name.length + 1).trim();
}

/** The parts of a multipart (RFC 2046, section 5.1); none for another type. The preamble is ignored. */
export function multipartPartsOf({ head, body }: MimePart): MimePart[] {
  const [, quoted, plain] =
    /^multipart\/.*;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(headerFieldOf(head, 'content-type')) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return [];
  const parts: string[][] = [];
  for (const line of body.split('\n')) {
    const boundarySuffix = line.startsWith(`--${boundary}`) ? line.slice(2 + boundary.length).trimEnd() : undefined;
    if (boundarySuffix === '--') break;
    if (boundarySuffix === '') parts.push([]);
    else parts.at(-1)?.push(line);
  }
  return parts.map((lines) => parsePart(lines.join('\n')));
}

/** The decoded text of a part. */
export function decodedTextOf({ head, body }: MimePart): string {
  switch (headerFieldOf(head, 'content-transfer-encoding').toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64').toString('utf8').replaceAll('\r\n', '\n');
    case 'quoted-printable':
      return Buffer.from(
        body
          .replaceAll(/=[ \t]*\n/g, '')
          .replaceAll(/=([0-9a-f]{2})/gi, (_all, byte: string) => String.fromCharCode(Number.parseInt(byte, 16))),
        'latin1',
      ).toString('utf8');
    default:
      return body;
  }
}

/** Joins each folded header field into one line (RFC 5322, section 2.2.3). */
export function unfoldHeader(text: string): string {
  return text.replaceAll(/\n[ \t]+/g, ' ');
}
