import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { type TObject, Type } from 'typebox';
import type { Clock } from '../kernel/clock.ts';
import type { Mint } from '../kernel/id.ts';
import { isObject } from '../kernel/is-object.ts';
import { type Issue, type Refusal, refuse } from '../kernel/problem.ts';
import type { Read } from '../store/db.ts';
import { announcedTooLarge, faultsOfUnwanted, jsonBodyLimit, readJsonBody } from './body.ts';
import type { Call, Operation, RequestShape, SoundPart } from './operation.ts';
import { type Check, compileCheck, parseQuery } from './parse.ts';

/** One request, before anything of it is trusted; `body` is unread. */
export type Incoming = {
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
  readonly whenOver?: ((call: () => void) => void) | undefined;
};

/**
 * A request whose parts are what the operation says they are; or one that cannot be read; or all that is wrong with its
 * form, with the part of it that is sound where the operation has more to say about that.
 */
export type Parsed =
  | { readonly input: Omit<Call<RequestShape, unknown>, 'caller' | 'ports'> }
  | { readonly refusal: Refusal }
  | { readonly issues: readonly Issue[]; readonly sound?: Sound | undefined };

type Sound = Omit<SoundPart<RequestShape, unknown>, 'caller' | 'ports'>;

/** What a request is given on its way. */
type Given = { readonly clock: Clock; readonly mint: Mint; readonly read: Read };

/** What reads the requests of one operation; its schemas are compiled once. */
export function createParse<P>(operation: Operation<P>, house: Given): (incoming: Incoming) => Promise<Parsed> {
  const shape = operation.request;
  const checks: { readonly [K in keyof RequestShape]: Check | undefined } = {
    params: shape.params && compileCheck('path', shape.params),
    query: compileCheck('query', shape.query ?? noParameters),
    headers: shape.headers && compileCheck('header', shape.headers),
    body: shape.body && compileCheck('body', shape.body),
  };
  const soundOf = shape.body && operation.contentIssues && createSoundOf(shape.body);
  const isBodiless = shape.body === undefined && operation.bodyBytes === undefined;
  const headerNames = Object.keys(shape.headers?.properties ?? {});

  return async (incoming) => {
    const query = parseQuery(incoming.query, shape.query);
    const unread = new Set(query.issues.map(({ name }) => name));
    const headers = pick(incoming.headers, headerNames);
    const issues: Issue[] = [
      ...(checks.params?.(incoming.params) ?? []),
      ...query.issues,
      // What stands there and cannot be read is not missing as well.
      ...(checks.query?.(query.values) ?? []).filter(({ code, name }) => code !== 'required' || !unread.has(name)),
      ...(checks.headers?.(headers) ?? []),
    ];
    let body: unknown;
    if (checks.body !== undefined) {
      const read = await readBody(incoming);
      if ('refusal' in read) return read;
      body = read.value;
      issues.push(...checks.body(body));
    } else if (isBodiless && incoming.method === 'POST' && announcesBody(incoming.headers)) {
      // With other methods a body has no meaning to anybody (RFC 9110, section 9.3).
      issues.push(...(await faultsOfUnwanted(incoming.body)));
    }
    if (issues.length > 0) return { issues, sound: soundOf?.(body, issues, house.clock.now()) };
    // The checks above proved that each part has the type its schema derives.
    const typed = { params: incoming.params, query: query.values, headers, body } as unknown as Call<
      RequestShape,
      unknown
    >;
    const { clock, mint, read } = house;
    const { method, signal, body: bytes } = incoming;
    return { input: { ...typed, method, now: clock.now(), mint, read, bytes, signal } };
  };
}

/** What takes the members at fault out of a body. The rest is checked by itself, since not every fault may be listed. */
function createSoundOf(schema: TObject) {
  const check = compileCheck('body', Type.Partial(schema));
  return (value: unknown, issues: readonly Issue[], now: number): Sound | undefined => {
    if (!isObject(value)) return undefined;
    const faulty = new Set(issues.map(({ pointer = '' }) => pointer.split('/')[1] ?? ''));
    const known = Object.keys(schema.properties);
    const members = Object.entries(value).filter(([name]) => known.includes(name) && !faulty.has(name));
    const body = Object.fromEntries(members);
    if (check(body).length > 0) return undefined;
    // The check proved that each member has the type its schema derives.
    return { body, faulty, now } as unknown as Sound;
  };
}

async function readBody(incoming: Incoming): Promise<{ value: unknown } | { refusal: Refusal }> {
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
  const tooLarge = announcedTooLarge(incoming.headers['content-length'], jsonBodyLimit);
  return tooLarge === undefined ? await readJsonBody(incoming.body) : { refusal: tooLarge };
}

/** Whether a body follows (RFC 9112, section 6.3). */
function announcesBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const noParameters = Type.Object({}, { additionalProperties: false });

function pick(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string') picked[name] = value;
  }
  return picked;
}
