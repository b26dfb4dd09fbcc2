import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { Type } from 'typebox';
import { payloadTooLarge } from '../api/read-body.ts';
import { compilePartCheck, safeName } from '../api/validate-request.ts';
import { type Issue, type IssueCode, type Refusal, refuse, refuseIssues } from '../kernel/refusal.ts';
import { type DepositHeaders, depositHeaders } from './deposit-headers.ts';
import { allowedMediaTypes, detectMediaType, headBytes } from './media-type.ts';
import { RequestRejected } from './receive-document.ts';

/** The fields of a deposit form with the equivalent headers. All must come before `document`. */
const headerOfField = {
  citizenId: 'citizen-id',
  title: 'document-title',
  kind: 'document-kind',
  issuedAt: 'document-issued-at',
  retainUntil: 'document-retain-until',
  retentionClass: 'document-retention-class',
  purpose: 'purpose',
  legalBasis: 'legal-basis',
  digest: 'repr-digest',
} as const satisfies Record<string, keyof DepositHeaders>;

const filePart = 'document';
/** The most bytes around the document: the fields, and the headers and boundaries of all parts. */
export const maxFramingBytes = 65_536;
const formLimits = {
  fieldNameSize: 64,
  fieldSize: 4_096,
  fields: 12,
  files: 1,
  parts: 13,
  headerPairs: 16,
  headerSize: 4_096,
};

const requiredFields = ['citizenId', 'title'];

/** The form in the OpenAPI document. Its values are checked like the headers. */
export const depositForm = {
  fields: Type.Object(
    Object.fromEntries(
      Object.entries(headerOfField).map(([name, header]) => {
        const description = `The same value as the header ${header}, but without percent-encoding.`;
        const field = Type.String({ minLength: 1, maxLength: formLimits.fieldSize, description });
        return [name, requiredFields.includes(name) ? field : Type.Optional(field)];
      }),
    ),
  ),
  part: filePart,
};

/** Text fields; in headers they are percent-encoded. */
const encodedFields = new Set<string>(['citizenId', 'title', 'purpose', 'legalBasis']);
const checkHeaders = compilePartCheck('header', depositHeaders);

/** Whether a Content-Type is that of a form. */
export function isForm(contentType: string): boolean {
  return /^multipart\/form-data\s*;/i.test(contentType.trim());
}

/**
 * Reads a form up to the first byte of its part `document` (RFC 7578), which may have `limit` bytes. A fault in the form, also
 * after that part, ends the reading.
 */
export async function readDepositForm(
  request: Readable,
  contentType: string,
  limit: number,
): Promise<
  { readonly headers: DepositHeaders; readonly pieces: AsyncIterable<Uint8Array> } | { readonly refusal: Refusal }
> {
  const form = createParser(contentType);
  if (form === undefined) return { refusal: malformed('The Content-Type has no valid boundary.') };
  const reading = startReading(request, form, limit);
  try {
    const { mediaType, fileName } = await reading.opened;
    const headers = headersOfForm(reading.fields, mediaType);
    if (!('refusal' in headers)) {
      if (!unstatedTypes.has(mediaType)) return { headers, pieces: reading.pieces() };
      const { head, pieces } = await peekPieces(reading.pieces());
      const detected = detectMediaType(head, fileName);
      if (detected !== undefined) return { headers: { ...headers, 'content-type': detected }, pieces };
    }
    reading.stop();
    return 'refusal' in headers ? headers : { refusal: unknownContent() };
  } catch (fault) {
    reading.stop();
    if (fault instanceof RequestRejected) return { refusal: fault.refusal };
    throw fault;
  }
}

/**
 * The types of a part that do not say what it is. `text/plain` is the default type of a part (RFC 7578, section 4.4), and the
 * parser reports it for a part without a type.
 */
const unstatedTypes: ReadonlySet<string> = new Set(['application/octet-stream', 'text/plain']);

function unknownContent(): Refusal {
  const types = allowedMediaTypes.join(', ');
  const detail = `The server cannot detect the type of the part '${filePart}' from its bytes. Set its Content-Type to one of ${types}.`;
  return refuse('unsupported-media-type', detail, { headers: { accept: types } });
}

/** Reads the first bytes of a document. `pieces` has them again, and the rest. */
async function peekPieces(all: AsyncGenerator<Uint8Array>) {
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < headBytes) {
    const next = await all.next();
    if (next.done === true) break;
    // Copied, because the first bytes are needed after the next read.
    first.push(Uint8Array.from(next.value));
    length += next.value.length;
  }
  return { head: Buffer.concat(first).subarray(0, headBytes), pieces: rejoin(first, all) };
}

async function* rejoin(first: readonly Uint8Array[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

type Parser = InstanceType<typeof Busboy>;

function createParser(contentType: string): Parser | undefined {
  const headers = { 'content-type': contentType };
  try {
    return new Busboy({ headers, limits: formLimits, isPartAFile: (name) => name === filePart });
  } catch {
    // It throws only for a missing boundary: the type was checked before.
    return undefined;
  }
}

/** Starts to read a form. `opened` resolves to the media type and the file name of the document, or rejects with `RequestRejected`. */
function startReading(request: Readable, form: Parser, limit: number) {
  const fields = new Map<string, string>();
  const opened = Promise.withResolvers<{ readonly mediaType: string; readonly fileName: string }>();
  const ended = Promise.withResolvers<void>();
  let file: Readable | undefined;
  let receivedBytes = 0;
  const reject = (refusal: Refusal) => {
    stop();
    const rejection = new RequestRejected(refusal);
    opened.reject(rejection);
    ended.reject(rejection);
    file?.destroy(rejection);
  };
  const fail = (detail: string, pointer?: string, code?: IssueCode) => reject(malformed(detail, pointer, code));
  const failUnfinished = () => fail('The form ended before its closing boundary.');
  // The parser does not report bytes before the first part, after the last part, or in parts over its limits: they are counted
  // here.
  const countBytes = (bytes: Uint8Array) => {
    if (file === undefined && receivedBytes > maxFramingBytes)
      fail(`More than ${maxFramingBytes} bytes come before the document.`);
    receivedBytes += bytes.length;
    if (receivedBytes > limit + maxFramingBytes) reject(payloadTooLarge(limit));
  };
  const stop = () => {
    request.off('data', countBytes);
    request.unpipe(form);
    request.off('error', failUnfinished);
  };
  // It is awaited only if the reading gets that far.
  ended.promise.catch(() => undefined);

  form.on('field', (name, value, ...[nameCut, valueCut]) => {
    if (file !== undefined) fail('All fields must come before the document.');
    const pointer = `/${safeName(name)}`;
    if (nameCut || valueCut) fail('A field is too long.', pointer, 'too-long');
    if (fields.has(name)) fail('A field must not occur twice.', pointer, 'repeated');
    fields.set(name, value);
  });
  form.on('file', (...[, stream, fileName, coding, mediaType]) => {
    file = stream;
    // The consumer of the pieces gets the error; before that, `opened` rejects.
    stream.on('error', () => undefined);
    if (!['7bit', '8bit', 'binary'].includes(coding)) fail('The document must have no transfer encoding.');
    // The parser gives undefined for a part without a file name, against its types.
    opened.resolve({ mediaType, fileName: fileName ?? '' });
  });
  const tooMany = () => fail('The form has too many parts.');
  form.on('partsLimit', tooMany).on('filesLimit', tooMany).on('fieldsLimit', tooMany);
  form.on('error', failUnfinished);
  form.on('finish', () => {
    if (file === undefined) fail(`The form has no part '${filePart}'.`, `/${filePart}`, 'required');
    ended.resolve();
  });
  request.once('error', failUnfinished);
  request.on('data', countBytes).pipe(form);

  const pieces = () => readPieces(file ?? [], ended.promise, stop);
  return { fields, opened: opened.promise, pieces, stop };
}

/** The pieces of the document, which end when the whole form has been read. */
async function* readPieces(
  file: AsyncIterable<unknown> | Iterable<unknown>,
  ended: Promise<void>,
  stop: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    // Without an encoding the pieces of the stream are buffers.
    for await (const piece of file) yield piece as Buffer;
    await ended;
  } finally {
    stop();
  }
}

function headersOfForm(fields: ReadonlyMap<string, string>, mediaType: string): DepositHeaders | { refusal: Refusal } {
  const headers: Record<string, string> = { 'content-type': mediaType };
  const issues: Issue[] = [];
  for (const [field, value] of fields) {
    const header = Object.entries(headerOfField).find(([name]) => name === field)?.[1];
    if (header === undefined) issues.push(unknownField(field));
    // The parser writes U+FFFD for bytes that are not UTF-8. Lone surrogates come from a charset that the part names.
    else if (value.includes('\ufffd') || !value.isWellFormed())
      issues.push({ in: 'body', pointer: `/${field}`, code: 'malformed', detail: 'must be UTF-8' });
    else headers[header] = encodedFields.has(field) ? encodeURIComponent(value) : value;
  }
  for (const required of requiredFields) {
    if (!fields.has(required))
      issues.push({ in: 'body', pointer: `/${required}`, code: 'required', detail: 'required' });
  }
  issues.push(...checkHeaders(headers).map(toFormIssue));
  if (issues.length > 0) return { refusal: refuseIssues(issues) };
  // `checkHeaders` has verified the shape.
  return headers as DepositHeaders;
}

function unknownField(name: string): Issue {
  const detail = `the fields are ${Object.keys(headerOfField).join(', ')}`;
  return { in: 'body', pointer: `/${safeName(name)}`, code: 'unknown-input', detail };
}

/** Converts a fault of a header to one of its form field. */
export function toFormIssue(issue: Issue): Issue {
  const field = Object.entries(headerOfField).find(([, header]) => header === issue.name)?.[0] ?? filePart;
  // A form carries its text without encoding.
  const detail = issue.detail.replace('percent-encoded UTF-8', 'text');
  return { in: 'body', pointer: `/${field}`, code: issue.code, detail };
}

/** Converts the refusal of a deposit by headers to one of its form: it names the part, and the field instead of the header. */
export function toFormRefusal({ detail, issues, ...refusal }: Refusal): Refusal {
  const isAboutPart = refusal.slug === 'unsupported-media-type' || refusal.slug === 'content-mismatch';
  const own = detail.replace('Content-Type', 'its Content-Type').replace('Repr-Digest', 'the field digest');
  return {
    ...refusal,
    detail: isAboutPart ? `Part '${filePart}': ${own}` : detail,
    ...(issues && { issues: issues.map(toFormIssue) }),
  };
}

function malformed(detail: string, pointer = '', code: IssueCode = 'malformed'): Refusal {
  return refuse('bad-request', detail, { issues: [{ in: 'body', pointer, code, detail }] });
}
