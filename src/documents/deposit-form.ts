import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { type TSchema, Type } from 'typebox';
import { payloadTooLarge } from '../api/read-body.ts';
import { compilePartCheck, safeName } from '../api/validate-request.ts';
import { type Issue, type Refusal, refuse, refuseIssues } from '../kernel/refusal.ts';
import { type DepositHeaders, depositHeaders } from './deposit-headers.ts';
import { RequestRejected } from './receive-document.ts';

/** The fields of a form that deposits a document, each with the header that says the same. All stand before `document`. */
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
/** What may stand around the document, in bytes: the fields, and the heads and boundaries of all parts. */
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

const describeField = (name: keyof typeof headerOfField) => ({
  description: `As ${headerOfField[name]} says it, without its encoding.`,
});
const field = (name: keyof typeof headerOfField) =>
  Type.String({ minLength: 1, maxLength: formLimits.fieldSize, ...describeField(name) });
const optional = (name: keyof typeof headerOfField) => Type.Optional(field(name));

/** The form as the OpenAPI document shows it. What its fields hold is checked as the headers are. */
export const depositForm = {
  fields: Type.Object({
    citizenId: field('citizenId'),
    title: field('title'),
    kind: optional('kind'),
    issuedAt: optional('issuedAt'),
    retainUntil: optional('retainUntil'),
    retentionClass: optional('retentionClass'),
    purpose: optional('purpose'),
    legalBasis: optional('legalBasis'),
    digest: optional('digest'),
  } satisfies Record<keyof typeof headerOfField, TSchema>),
  part: filePart,
};

/** The fields of text, which headers carry percent-encoded. */
const encodedFields = new Set<string>(['citizenId', 'title', 'purpose', 'legalBasis']);
const checkHeaders = compilePartCheck('header', depositHeaders);

/** A form read up to its document: what its fields say, and the document's bytes, which end with the form. */
export type DepositForm = { readonly headers: DepositHeaders; readonly pieces: AsyncIterable<Uint8Array> };

/** Whether this is the type of a form. */
export function isForm(contentType: string): boolean {
  return /^multipart\/form-data\s*;/i.test(contentType.trim());
}

/**
 * Reads a form up to the first byte of its part `document` (RFC 7578), which may weigh `limit` bytes; what is at fault in
 * it, behind that part too, ends the reading.
 */
export async function readDepositForm(
  request: Readable,
  contentType: string,
  limit: number,
): Promise<DepositForm | { readonly refusal: Refusal }> {
  const form = createParser(contentType);
  if (form === undefined) return { refusal: malformed('The Content-Type names no usable boundary.') };
  const reading = startReading(request, form, limit);
  try {
    const headers = headersOfForm(reading.fields, await reading.opened);
    if (!('refusal' in headers)) return { headers, pieces: reading.pieces() };
    reading.stop();
    return headers;
  } catch (fault) {
    reading.stop();
    if (fault instanceof RequestRejected) return { refusal: fault.refusal };
    throw fault;
  }
}

type Parser = InstanceType<typeof Busboy>;

function createParser(contentType: string): Parser | undefined {
  const headers = { 'content-type': contentType };
  try {
    return new Busboy({ headers, limits: formLimits, isPartAFile: (name) => name === filePart });
  } catch {
    // It throws for want of a boundary alone: that this is the type of a form was seen before.
    return undefined;
  }
}

type Reading = {
  readonly fields: ReadonlyMap<string, string>;
  /** The media type of the document, once its part has begun; rejects with `TurnedAway`. */
  readonly opened: Promise<string>;
  pieces(): AsyncGenerator<Uint8Array>;
  stop(): void;
};

function startReading(request: Readable, form: Parser, limit: number): Reading {
  const fields = new Map<string, string>();
  const opened = Promise.withResolvers<string>();
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
  const fail = (detail: string, pointer?: string, code?: string) => reject(malformed(detail, pointer, code));
  const failUnfinished = () => fail('The form ended before its closing boundary.');
  // The parser tells nothing of what stands before the first part and behind the last, or in parts beyond those it counts.
  const countBytes = (bytes: Uint8Array) => {
    if (file === undefined && receivedBytes > maxFramingBytes)
      fail(`More than ${maxFramingBytes} bytes stand before the document.`);
    receivedBytes += bytes.length;
    if (receivedBytes > limit + maxFramingBytes) reject(payloadTooLarge(limit));
  };
  const stop = () => {
    request.off('data', countBytes);
    request.unpipe(form);
    request.off('error', failUnfinished);
  };
  // Each is awaited only where the reading comes that far.
  ended.promise.catch(() => undefined);

  form.on('field', (name, value, ...[nameCut, valueCut]) => {
    if (file !== undefined) fail('Every field stands before the document.');
    const pointer = `/${safeName(name)}`;
    if (nameCut || valueCut) fail('A field is too long.', pointer, 'too-long');
    if (fields.has(name)) fail('Each field stands once.', pointer, 'repeated');
    fields.set(name, value);
  });
  form.on('file', (...[, stream, , coding, mediaType]) => {
    file = stream;
    // Whoever takes the pieces is told; before that, `opened` is.
    stream.on('error', () => undefined);
    if (!['7bit', '8bit', 'binary'].includes(coding)) fail('The document must have no transfer encoding.');
    opened.resolve(mediaType);
  });
  const tooMany = () => fail('The form has more parts than it may.');
  form.on('partsLimit', tooMany).on('filesLimit', tooMany).on('fieldsLimit', tooMany);
  form.on('error', failUnfinished);
  form.on('finish', () => {
    if (file === undefined) fail(`The form has no part '${filePart}'.`, `/${filePart}`, 'required');
    ended.resolve();
  });
  request.once('error', failUnfinished);
  request.on('data', countBytes).pipe(form);

  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      // Read as it comes from the parser, without an encoding set: the pieces are buffers.
      for await (const piece of file ?? []) yield piece as Buffer;
      await ended.promise;
    } finally {
      stop();
    }
  }
  return { fields, opened: opened.promise, pieces, stop };
}

function headersOfForm(fields: ReadonlyMap<string, string>, mediaType: string): DepositHeaders | { refusal: Refusal } {
  const headers: Record<string, string> = { 'content-type': mediaType };
  const issues: Issue[] = [];
  for (const [field, value] of fields) {
    const header = Object.entries(headerOfField).find(([name]) => name === field)?.[1];
    if (header === undefined) issues.push(unknownField(field));
    // The parser puts it where bytes are not UTF-8; halves of surrogate pairs come from a charset that the part names.
    else if (value.includes('\ufffd') || !value.isWellFormed())
      issues.push({ in: 'body', pointer: `/${field}`, code: 'malformed', detail: 'must be UTF-8' });
    else headers[header] = encodedFields.has(field) ? encodeURIComponent(value) : value;
  }
  for (const required of ['citizenId', 'title']) {
    if (!fields.has(required))
      issues.push({ in: 'body', pointer: `/${required}`, code: 'required', detail: 'required' });
  }
  issues.push(...checkHeaders(headers).map(toFormIssue));
  if (issues.length > 0) return { refusal: refuseIssues(issues) };
  // The check above proved it.
  return headers as DepositHeaders;
}

function unknownField(name: string): Issue {
  const detail = `the fields are ${Object.keys(headerOfField).join(', ')}`;
  return { in: 'body', pointer: `/${safeName(name)}`, code: 'unknown-input', detail };
}

/** A fault of a header as that of the field which stands for it. */
export function toFormIssue(issue: Issue): Issue {
  const field = Object.entries(headerOfField).find(([, header]) => header === issue.name)?.[0] ?? filePart;
  // A form carries its text as it is.
  const detail = issue.detail.replace('percent-encoded UTF-8', 'text');
  return { in: 'body', pointer: `/${field}`, code: issue.code, detail };
}

function malformed(detail: string, pointer = '', code = 'malformed'): Refusal {
  return refuse('bad-request', detail, { issues: [{ in: 'body', pointer, code, detail }] });
}
