/** The formats that the first bytes of a document show. */
type Container = 'pdf' | 'png' | 'jpeg' | 'gif' | 'tiff' | 'zip';

type MediaTypeRule = { readonly extension: string; readonly content: Container | 'text' };

const office = 'application/vnd.openxmlformats-officedocument';
const openDocument = 'application/vnd.oasis.opendocument';

/** The allowed media types. Types that run code when they are opened are excluded. */
const allowedTypes: Readonly<Record<string, MediaTypeRule>> = {
  'application/pdf': { extension: 'pdf', content: 'pdf' },
  'image/png': { extension: 'png', content: 'png' },
  'image/jpeg': { extension: 'jpg', content: 'jpeg' },
  'image/gif': { extension: 'gif', content: 'gif' },
  'image/tiff': { extension: 'tif', content: 'tiff' },
  'application/zip': { extension: 'zip', content: 'zip' },
  [`${office}.wordprocessingml.document`]: { extension: 'docx', content: 'zip' },
  [`${office}.spreadsheetml.sheet`]: { extension: 'xlsx', content: 'zip' },
  [`${office}.presentationml.presentation`]: { extension: 'pptx', content: 'zip' },
  [`${openDocument}.text`]: { extension: 'odt', content: 'zip' },
  [`${openDocument}.spreadsheet`]: { extension: 'ods', content: 'zip' },
  'text/plain': { extension: 'txt', content: 'text' },
  'text/csv': { extension: 'csv', content: 'text' },
  'text/html': { extension: 'html', content: 'text' },
  'application/json': { extension: 'json', content: 'text' },
  'application/xml': { extension: 'xml', content: 'text' },
};

/** The media types that a deposit may have. */
export const allowedMediaTypes: readonly string[] = Object.keys(allowedTypes);

/** An allowed media type. `name` is its form on the wire: lower case, text with its charset. */
export type MediaType = { readonly name: string; readonly type: string; readonly rule: MediaTypeRule };

/**
 * Parameters of a media type (RFC 9110, section 5.6.6): a token or a quoted string each; an empty one is ignored. Attack: if a space
 * could belong to two parts of this pattern, a header of 100 bytes would take years (test/attacks/content-types.test.ts).
 */
const parametersPattern =
  /^(?:[ \t]*;(?:[ \t]*[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*"))?)*[ \t]*$/;
const charsetPattern = /;[ \t]*charset=(?:"([^"]*)"|([^\s;"]+))/gi;
const utf8Names = ['utf-8', 'utf8', 'us-ascii'];

/**
 * Parses a `Content-Type`. Parameters have no effect, except that text must be UTF-8. Undefined if the type is not allowed, the
 * header is malformed, or the text is not UTF-8.
 */
export function parseMediaType(header: string): MediaType | undefined {
  const [, essence = '', parameters = ''] = /^\s*([^\s;]+)(.*)$/.exec(header) ?? [];
  const type = essence.toLowerCase();
  const rule = Object.hasOwn(allowedTypes, type) ? allowedTypes[type] : undefined;
  if (rule === undefined || !parametersPattern.test(parameters)) return undefined;
  if (rule.content !== 'text') return { name: type, type, rule };
  const charsets = [...parameters.matchAll(charsetPattern)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  if (!charsets.every((charset) => utf8Names.includes(charset.toLowerCase()))) return undefined;
  return { name: type.startsWith('text/') ? `${type}; charset=utf-8` : type, type, rule };
}

/** The file extension of a media type, without a dot. */
export function extensionOf(mediaType: string): string {
  return parseMediaType(mediaType)?.rule.extension ?? 'bin';
}

/**
 * Finds the type of a document by its first `headBytes` bytes, and by the extension of its file name where several types begin
 * alike. Undefined if the bytes fit no allowed type.
 */
export function detectMediaType(head: Uint8Array, fileName: string): string | undefined {
  const bytes = Buffer.from(head);
  const content = containerOf(bytes) ?? (bytes.some(isBinary) ? undefined : 'text');
  const fitting = Object.entries(allowedTypes).filter(
    ([type, rule]) => rule.content === content && fitsArchive(type, bytes),
  );
  const extension = /\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase();
  const found =
    fitting.find(([, rule]) => rule.extension === extension) ??
    fitting.find(([type]) => type.startsWith(openDocument)) ??
    fitting.find(([type]) => type === 'application/zip' || type === 'text/plain') ??
    fitting[0];
  return found?.[0];
}

/** Compares a document with its declared type while it arrives; both functions return false at the first mismatch. */
type ContentCheck = { add(piece: Uint8Array): boolean; end(): boolean };

/**
 * Enough for each signature, for the first entry of an OpenDocument archive, which names its type, and for a PDF header that begins
 * within the first 1,024 bytes.
 */
export const headBytes = 1_028;

/** The check of one document. Text must be UTF-8 without control characters, and must not start like a binary format. */
export function createContentCheck(declared: MediaType): ContentCheck {
  let head = Buffer.alloc(0);
  let isDecided = false;
  const text = declared.rule.content === 'text' ? createTextCheck() : undefined;

  const decide = () => {
    isDecided = true;
    const found = containerOf(head);
    if (text !== undefined) return found === undefined;
    return found === declared.rule.content && fitsArchive(declared.type, head);
  };

  return {
    add: (piece) => {
      if (text !== undefined && !text.add(piece)) return false;
      if (isDecided) return true;
      head = Buffer.concat([head, piece.subarray(0, headBytes - head.length)]);
      return head.length < headBytes || decide();
    },
    end: () => (isDecided || decide()) && (text === undefined || text.end()),
  };
}

const signatures: readonly (readonly [Container, Buffer])[] = [
  ['pdf', Buffer.from('%PDF-', 'latin1')],
  ['png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
  ['jpeg', Buffer.from('\xff\xd8\xff', 'latin1')],
  ['gif', Buffer.from('GIF87a', 'latin1')],
  ['gif', Buffer.from('GIF89a', 'latin1')],
  ['tiff', Buffer.from('II*\0', 'latin1')],
  ['tiff', Buffer.from('MM\0*', 'latin1')],
  ['zip', Buffer.from('PK\x03\x04', 'latin1')],
  ['zip', Buffer.from('PK\x05\x06', 'latin1')],
];

function containerOf(head: Buffer): Container | undefined {
  const found = signatures.find(([, bytes]) => head.subarray(0, bytes.length).equals(bytes))?.[0];
  return found ?? (leadingPdfSpace.test(head.toString('latin1')) ? 'pdf' : undefined);
}

/**
 * A byte order mark and white space before a PDF header, which scanners and web forms add and which PDF readers accept within the
 * first 1,024 bytes. No other bytes are accepted there: they could be another format at the same time.
 */
const leadingPdfSpace = /^(?:\xef\xbb\xbf)?[\0\t\n\f\r ]*%PDF-/;

/**
 * An OpenDocument archive begins with an uncompressed entry `mimetype` that contains its type (OpenDocument 1.3, part 2, 3.3).
 */
function fitsArchive(type: string, head: Buffer): boolean {
  if (!type.startsWith(openDocument)) return true;
  return head.toString('latin1', 30, 38 + type.length) === `mimetype${type}`;
}

function createTextCheck(): ContentCheck {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const isUtf8 = (piece: Uint8Array, stream: boolean) => {
    try {
      utf8.decode(piece, { stream });
      return true;
    } catch (fault) {
      if (fault instanceof TypeError) return false;
      throw fault;
    }
  };
  return {
    add: (piece) => !piece.some(isBinary) && isUtf8(piece, true),
    end: () => isUtf8(new Uint8Array(0), false),
  };
}

/** Control characters that do not occur in text (WHATWG MIME Sniffing, binary data byte). */
function isBinary(byte: number): boolean {
  return byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b;
}
