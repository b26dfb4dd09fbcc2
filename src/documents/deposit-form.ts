import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { type TSchema, Type } from 'typebox';
import { tooLarge } from '../api/body.ts';
import { compileCheck, safeName } from '../api/parse.ts';
import { type Issue, type Refusal, refusalOfIssues, refuse } from '../kernel/problem.ts';
import { type DepositGiven, depositHeaders } from './deposit-headers.ts';
import { TurnedAway } from './receive-document.ts';

/** The fields of a form that deposits a document, each with the header that says the same. All stand before `document`. */
const headerOf = {
  citizenId: 'citizen-id',
  title: 'document-title',
  kind: 'document-kind',
  issuedAt: 'document-issued-at',
  retainUntil: 'document-retain-until',
  retentionClass: 'document-retention-class',
  purpose: 'purpose',
  legalBasis: 'legal-basis',
  digest: 'repr-digest',
} as const satisfies Record<string, keyof DepositGiven>;

const filePart = 'document';
/** What may stand around the document, in bytes: the fields, and the heads and boundaries of all parts. */
export const framingBytes = 65_536;
const limits = {
  fieldNameSize: 64,
  fieldSize: 4_096,
  fields: 12,
  files: 1,
  parts: 13,
  headerPairs: 16,
  headerSize: 4_096,
};

const said = (name: keyof typeof headerOf) => ({ description: `As ${headerOf[name]} says it, without its encoding.` });
const field = (name: keyof typeof headerOf) =>
  Type.String({ minLength: 1, maxLength: limits.fieldSize, ...said(name) });
const optional = (name: keyof typeof headerOf) => Type.Optional(field(name));

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
  } satisfies Record<keyof typeof headerOf, TSchema>),
  part: filePart,
};

/** The fields of text, which headers carry percent-encoded. */
const encoded = new Set<string>(['citizenId', 'title', 'purpose', 'legalBasis']);
const checkGiven = compileCheck('header', depositHeaders);

/** A form read up to its document: what its fields say, and the document's bytes, which end with the form. */
export type DepositForm = { readonly given: DepositGiven; readonly pieces: AsyncIterable<Uint8Array> };

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
  const form = parserOf(contentType);
  if (form === undefined) return { refusal: malformed('The Content-Type names no usable boundary.') };
  const reading = startReading(request, form, limit);
  try {
    const given = givenOf(reading.fields, await reading.opened);
    if (!('refusal' in given)) return { given, pieces: reading.pieces() };
    reading.stop();
    return given;
  } catch (fault) {
    reading.stop();
    if (fault instanceof TurnedAway) return { refusal: fault.refusal };
    throw fault;
  }
}

type Parser = InstanceType<typeof Busboy>;

function parserOf(contentType: string): Parser | undefined {
  const headers = { 'content-type': contentType };
  try {
    return new Busboy({ headers, limits, isPartAFile: (name) => name === filePart });
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
  let arrived = 0;
  const turnAway = (refusal: Refusal) => {
    stop();
    const broken = new TurnedAway(refusal);
    opened.reject(broken);
    ended.reject(broken);
    file?.destroy(broken);
  };
  const spoil = (detail: string, pointer?: string, code?: string) => turnAway(malformed(detail, pointer, code));
  const fail = () => spoil('The form ended before its closing boundary.');
  // The parser tells nothing of what stands before the first part and behind the last, or in parts beyond those it counts.
  const weigh = (bytes: Uint8Array) => {
    if (file === undefined && arrived > framingBytes)
      spoil(`More than ${framingBytes} bytes stand before the document.`);
    arrived += bytes.length;
    if (arrived > limit + framingBytes) turnAway(tooLarge(limit));
  };
  const stop = () => {
    request.off('data', weigh);
    request.unpipe(form);
    request.off('error', fail);
  };
  // Each is awaited only where the reading comes that far.
  ended.promise.catch(() => undefined);

  form.on('field', (name, value, ...[nameCut, valueCut]) => {
    if (file !== undefined) spoil('Every field stands before the document.');
    const pointer = `/${safeName(name)}`;
    if (nameCut || valueCut) spoil('A field is too long.', pointer, 'too-long');
    if (fields.has(name)) spoil('Each field stands once.', pointer, 'repeated');
    fields.set(name, value);
  });
  form.on('file', (...[, stream, , coding, mediaType]) => {
    file = stream;
    // Whoever takes the pieces is told; before that, `opened` is.
    stream.on('error', () => undefined);
    if (!['7bit', '8bit', 'binary'].includes(coding)) spoil('The document must have no transfer encoding.');
    opened.resolve(mediaType);
  });
  const tooMany = () => spoil('The form has more parts than it may.');
  form.on('partsLimit', tooMany).on('filesLimit', tooMany).on('fieldsLimit', tooMany);
  form.on('error', fail);
  form.on('finish', () => {
    if (file === undefined) spoil(`The form has no part '${filePart}'.`, `/${filePart}`, 'required');
    ended.resolve();
  });
  request.once('error', fail);
  request.on('data', weigh).pipe(form);

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

function givenOf(fields: ReadonlyMap<string, string>, mediaType: string): DepositGiven | { refusal: Refusal } {
  const given: Record<string, string> = { 'content-type': mediaType };
  const issues: Issue[] = [];
  for (const [field, value] of fields) {
    const header = Object.entries(headerOf).find(([name]) => name === field)?.[1];
    if (header === undefined) issues.push(unknownField(field));
    // The parser puts it where bytes are not UTF-8; halves of surrogate pairs come from a charset that the part names.
    else if (value.includes('\ufffd') || !value.isWellFormed())
      issues.push({ in: 'body', pointer: `/${field}`, code: 'malformed', detail: 'must be UTF-8' });
    else given[header] = encoded.has(field) ? encodeURIComponent(value) : value;
  }
  for (const required of ['citizenId', 'title']) {
    if (!fields.has(required))
      issues.push({ in: 'body', pointer: `/${required}`, code: 'required', detail: 'required' });
  }
  issues.push(...checkGiven(given).map(issueOfForm));
  if (issues.length > 0) return { refusal: refusalOfIssues(issues) };
  // The check above proved it.
  return given as DepositGiven;
}

function unknownField(name: string): Issue {
  const detail = `the fields are ${Object.keys(headerOf).join(', ')}`;
  return { in: 'body', pointer: `/${safeName(name)}`, code: 'unknown-input', detail };
}

/** A fault of a header as that of the field which stands for it. */
export function issueOfForm(issue: Issue): Issue {
  const field = Object.entries(headerOf).find(([, header]) => header === issue.name)?.[0] ?? filePart;
  // A form carries its text as it is.
  const detail = issue.detail.replace('percent-encoded UTF-8', 'text');
  return { in: 'body', pointer: `/${field}`, code: issue.code, detail };
}

function malformed(detail: string, pointer = '', code = 'malformed'): Refusal {
  return refuse('bad-request', detail, { issues: [{ in: 'body', pointer, code, detail }] });
}
