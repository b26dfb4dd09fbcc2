/**
 * `Content-Disposition` of a download (RFC 6266): an ASCII name for old clients, and the full name in `filename*` (RFC 8187).
 * Characters with a meaning in file systems or headers are removed from both. A title that already ends with the extension keeps it
 * once. Own code: the content-disposition package leaves plain names unquoted, and cleans no name.
 */
export function attachmentHeader(title: string, extension: string): string {
  const name = trimDots(
    title
      .normalize('NFC')
      .replaceAll(/[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|%]+/gu, ' ')
      .replaceAll(/\s+/g, ' '),
  );
  const known = spellingsOf(extension).find((spelling) => name.toLowerCase().endsWith(`.${spelling}`));
  const stem = known === undefined ? name : trimDots(name.slice(0, -known.length));
  const whole = `${cutTo(stem, 120) || 'document'}.${extension}`;
  const ascii = whole
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^\x20-\x7e]+/g, '_');
  if (ascii === whole) return `attachment; filename="${ascii}"`;
  return `attachment; filename="${ascii}"; filename*=UTF-8''${percentEncode(whole)}`;
}

/** The spellings of an extension that mean the same format. */
function spellingsOf(extension: string): readonly string[] {
  const others: Readonly<Record<string, string>> = { jpg: 'jpeg', tif: 'tiff', html: 'htm' };
  return [extension, others[extension] ?? extension];
}

const trimDots = (text: string) => text.replaceAll(/^[ .]+|[ .]+$/g, '');

/** Cuts by code points, so that no surrogate pair is split. */
function cutTo(text: string, codePoints: number): string {
  return [...text].slice(0, codePoints).join('').trimEnd();
}

/** `encodeURIComponent`, and the characters it leaves that RFC 8187 does not allow. */
function percentEncode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
