/**
 * `Content-Disposition` of a download (RFC 6266): a plain name for old readers, and the whole one in `filename*`
 * (RFC 8187). What a file system or a header could take amiss is left out of both.
 */
export function attachmentHeader(title: string, extension: string): string {
  const stem = title
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|%]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[ .]+|[ .]+$/g, '');
  const whole = `${cutTo(stem, 120) || 'document'}.${extension}`;
  const ascii = whole
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^\x20-\x7e]+/g, '_');
  if (ascii === whole) return `attachment; filename="${ascii}"`;
  return `attachment; filename="${ascii}"; filename*=UTF-8''${percentEncode(whole)}`;
}

/** Cut by code points, so that no surrogate pair is split. */
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
