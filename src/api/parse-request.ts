import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { type TObject, Type } from 'typebox';
import type { Read } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { IdGenerator } from '../kernel/id.ts';
import { isObject } from '../kernel/is-object.ts';
import { type Issue, type Refusal, refuse } from '../kernel/refusal.ts';
import type { Operation, OperationCall, RequestShape, ValidPart } from './operation.ts';
import { declaredTooLarge, jsonBodyLimit, readJsonBody, unexpectedBodyIssues } from './read-body.ts';
import { compilePartCheck, type PartCheck, parseQuery } from './validate-request.ts';

/** A request before any validation; `body` is unread. */
export type IncomingRequest = {
  readonly method: string;
  /** The path as in the request line, without the query. A DPoP proof is valid only for this path. */
  readonly path?: string;
  /** The thumbprint of the client certificate, if the client presented one. */
  readonly certificate?: () => string | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
  readonly signal: AbortSignal;
  /** The session of a person on the pages of this server, which can have several tokens. It replaces the session of the token. */
  readonly session?: string | undefined;
  /** Registers a call for when the response is sent or the client is gone; called once. */
  readonly onFinished?: ((call: () => void) => void) | undefined;
};

/** The valid input; or the refusal of an unreadable request; or all its issues, with the valid part of its body. */
export type ParsedRequest =
  | { readonly input: Omit<OperationCall<RequestShape, unknown>, 'caller' | 'ports'> }
  | { readonly refusal: Refusal }
  | { readonly issues: readonly Issue[]; readonly validPart?: ValidRequestPart | undefined };

type ValidRequestPart = Omit<ValidPart<RequestShape, unknown>, 'caller' | 'ports'>;

type ParserDeps = { readonly clock: Clock; readonly createId: IdGenerator; readonly read: Read };

/** Compiles the schemas of an operation once, and returns the parser of its requests. */
export function createRequestParser<P>(
  operation: Operation<P>,
  app: ParserDeps,
): (incoming: IncomingRequest) => Promise<ParsedRequest> {
  const schemas = operation.request;
  const checks: { readonly [K in keyof RequestShape]: PartCheck | undefined } = {
    params: schemas.params && compilePartCheck('path', schemas.params),
    query: compilePartCheck('query', schemas.query ?? noParameters),
    headers: schemas.headers && compilePartCheck('header', schemas.headers),
    body: schemas.body && compilePartCheck('body', schemas.body),
  };
  const extractValidPart = schemas.body && operation.contentIssues && createValidPartExtractor(schemas.body);
  const isBodiless = schemas.body === undefined && operation.bodyBytes === undefined;
  const headerNames = Object.keys(schemas.headers?.properties ?? {});

  return async (incoming) => {
    const query = parseQuery(incoming.query, schemas.query);
    const unparsedNames = new Set(query.issues.map(({ name }) => name));
    const headers = pickHeaders(incoming.headers, headerNames);
    const issues: Issue[] = [
      ...(checks.params?.(incoming.params) ?? []),
      ...query.issues,
      // A parameter that cannot be parsed is not also reported as missing.
      ...(checks.query?.(query.values) ?? []).filter(
        ({ code, name }) => code !== 'required' || !unparsedNames.has(name),
      ),
      ...(checks.headers?.(headers) ?? []),
    ];
    let body: unknown;
    if (checks.body !== undefined) {
      const read = await readBody(incoming);
      if ('refusal' in read) return read;
      body = read.value;
      issues.push(...checks.body(body));
    } else if (isBodiless && incoming.method === 'POST' && declaresBody(incoming.headers)) {
      // With other methods a body has no defined meaning (RFC 9110, section 9.3).
      issues.push(...(await unexpectedBodyIssues(incoming.body)));
    }
    if (issues.length > 0) return { issues, validPart: extractValidPart?.(body, issues, app.clock.now()) };
    // The checks above prove that each part has the type that its schema derives.
    const typed = { params: incoming.params, query: query.values, headers, body } as unknown as OperationCall<
      RequestShape,
      unknown
    >;
    const { clock, createId, read } = app;
    const { method, signal, body: bytes } = incoming;
    return { input: { ...typed, method, now: clock.now(), createId, read, bytes, signal } };
  };
}

/** Returns the body without its invalid members. The rest is checked again, because the list of issues is limited. */
function createValidPartExtractor(schema: TObject) {
  const check = compilePartCheck('body', Type.Partial(schema));
  return (value: unknown, issues: readonly Issue[], now: number): ValidRequestPart | undefined => {
    if (!isObject(value)) return undefined;
    const invalidMembers = new Set(issues.map(({ pointer = '' }) => pointer.split('/')[1] ?? ''));
    const known = Object.keys(schema.properties);
    const members = Object.entries(value).filter(([name]) => known.includes(name) && !invalidMembers.has(name));
    const body = Object.fromEntries(members);
    if (check(body).length > 0) return undefined;
    // The check proves that each member has the type that its schema derives.
    return { body, invalidMembers, now } as unknown as ValidRequestPart;
  };
}

async function readBody(incoming: IncomingRequest): Promise<{ value: unknown } | { refusal: Refusal }> {
  const type = String(incoming.headers['content-type'] ?? '');
  const coding = String(incoming.headers['content-encoding'] ?? 'identity');
  const unsupported = (detail: string, headers = {}) => ({
    refusal: refuse('unsupported-media-type', detail, { headers: { accept: 'application/json', ...headers } }),
  });
  if (coding.toLowerCase() !== 'identity')
    return unsupported('Send the JSON without a content coding.', { 'accept-encoding': 'identity' });
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type) || /;\s*charset=(?!"?utf-8"?\s*(?:;|$))/i.test(type)) {
    return unsupported('Send application/json in UTF-8.');
  }
  const tooLarge = declaredTooLarge(incoming.headers['content-length'], jsonBodyLimit);
  return tooLarge === undefined ? await readJsonBody(incoming.body) : { refusal: tooLarge };
}

/** Whether the request has a body (RFC 9112, section 6.3). */
function declaresBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const noParameters = Type.Object({}, { additionalProperties: false });

function pickHeaders(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string') picked[name] = value;
  }
  return picked;
}
