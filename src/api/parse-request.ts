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

/** One request, before anything of it is trusted; `body` is unread. */
export type IncomingRequest = {
  readonly method: string;
  /** As it stands in the request line, without query; without it no proof of possession holds. */
  readonly path?: string;
  /** The thumbprint of the caller's certificate, where one was shown. */
  readonly certificate?: () => string | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
  readonly signal: AbortSignal;
  /** Calls back, once, when the answer has left or its caller is gone. */
  readonly onFinished?: ((call: () => void) => void) | undefined;
};

/**
 * A request whose parts are what the operation says they are; or one that cannot be read; or all that is wrong with its
 * form, with the part of it that is sound where the operation has more to say about that.
 */
export type ParsedRequest =
  | { readonly input: Omit<OperationCall<RequestShape, unknown>, 'caller' | 'ports'> }
  | { readonly refusal: Refusal }
  | { readonly issues: readonly Issue[]; readonly validPart?: ValidRequestPart | undefined };

type ValidRequestPart = Omit<ValidPart<RequestShape, unknown>, 'caller' | 'ports'>;

/** What a request is given on its way. */
type ParserDeps = { readonly clock: Clock; readonly mint: IdGenerator; readonly read: Read };

/** What reads the requests of one operation; its schemas are compiled once. */
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
      // What stands there and cannot be read is not missing as well.
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
      // With other methods a body has no meaning to anybody (RFC 9110, section 9.3).
      issues.push(...(await unexpectedBodyIssues(incoming.body)));
    }
    if (issues.length > 0) return { issues, validPart: extractValidPart?.(body, issues, app.clock.now()) };
    // The checks above proved that each part has the type its schema derives.
    const typed = { params: incoming.params, query: query.values, headers, body } as unknown as OperationCall<
      RequestShape,
      unknown
    >;
    const { clock, mint, read } = app;
    const { method, signal, body: bytes } = incoming;
    return { input: { ...typed, method, now: clock.now(), mint, read, bytes, signal } };
  };
}

/** What takes the members at fault out of a body. The rest is checked by itself, since not every fault may be listed. */
function createValidPartExtractor(schema: TObject) {
  const check = compilePartCheck('body', Type.Partial(schema));
  return (value: unknown, issues: readonly Issue[], now: number): ValidRequestPart | undefined => {
    if (!isObject(value)) return undefined;
    const invalidMembers = new Set(issues.map(({ pointer = '' }) => pointer.split('/')[1] ?? ''));
    const known = Object.keys(schema.properties);
    const members = Object.entries(value).filter(([name]) => known.includes(name) && !invalidMembers.has(name));
    const body = Object.fromEntries(members);
    if (check(body).length > 0) return undefined;
    // The check proved that each member has the type its schema derives.
    return { body, invalidMembers, now } as unknown as ValidRequestPart;
  };
}

async function readBody(incoming: IncomingRequest): Promise<{ value: unknown } | { refusal: Refusal }> {
  const type = String(incoming.headers['content-type'] ?? '');
  const coding = String(incoming.headers['content-encoding'] ?? 'identity');
  if (coding.toLowerCase() !== 'identity') {
    return {
      refusal: refuse('unsupported-media-type', 'Send the JSON itself, without a content coding.', {
        headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      }),
    };
  }
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type) || /;\s*charset=(?!"?utf-8"?\s*(?:;|$))/i.test(type)) {
    return {
      refusal: refuse('unsupported-media-type', 'Send application/json, in UTF-8.', {
        headers: { accept: 'application/json' },
      }),
    };
  }
  const tooLarge = declaredTooLarge(incoming.headers['content-length'], jsonBodyLimit);
  return tooLarge === undefined ? await readJsonBody(incoming.body) : { refusal: tooLarge };
}

/** Whether a body follows (RFC 9112, section 6.3). */
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
