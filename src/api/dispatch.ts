import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { Caller } from '../access/caller.ts';
import type { Shown } from '../access/check-binding.ts';
import type { Taken } from '../access/quota.ts';
import type { Clock } from '../kernel/clock.ts';
import { createCohort } from '../kernel/cohort.ts';
import type { Mint } from '../kernel/id.ts';
import { type Issue, type Refusal, refuse } from '../kernel/problem.ts';
import type { Commit, Effect } from '../ledger/commit.ts';
import { type Read, ReadUnavailable, WriteBusy, WriteRefused, WriteUnknown } from '../store/db.ts';
import { announcedTooLarge, jsonBodyLimit, readJsonBody } from './body.ts';
import { foundNothing } from './found-nothing.ts';
import { hiddenUse, hidingCommit } from './hidden-use.ts';
import {
  type Earlier,
  findEarlier,
  fingerprint,
  type Print,
  parseIdempotencyKey,
  type RequestKey,
  remember,
} from './idempotency.ts';
import type { Answer, Call, Decision, Needed, Operation, RequestShape, Scope } from './operation.ts';
import { type Check, compileCheck, parseQuery } from './parse.ts';

/** What stands before every operation: who calls, and how much that client may. */
export type Gate = {
  authenticate(
    authorization: string | undefined,
    needed: Exclude<Needed, null>,
    shown: Shown,
  ): Promise<Caller | Refusal>;
  missingScope(scope: Scope): Refusal;
  /** Takes one request from the client's quota; the headers go on every answer. */
  take(caller: Caller, needed: Exclude<Needed, null>): Taken | Promise<Taken>;
  /** Counts a check that found nothing; after too many of them `take` refuses. */
  failed?(caller: Caller): void;
};

/** What dispatch needs of the house to serve its operations. */
export type House<P> = {
  readonly gate: Gate;
  readonly clock: Clock;
  readonly mint: Mint;
  readonly read: Read;
  readonly commit: Commit;
  /** The longest that a use may be hidden from its citizen, in milliseconds; without it none may. */
  readonly longestHiddenMs?: number | undefined;
  readonly ports: P;
  /** What a body of bytes may weigh, where the operator says otherwise than the operation. */
  readonly byteLimit?: number | undefined;
};

/** Around a document in a form; the operation counts the document itself. */
const framingBytes = 65_536;

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
};

/** What became of it; `headers` are those of the gate, for answers and refusals alike. */
export type Dispatched = {
  readonly result: Answer | Refusal;
  readonly headers: Readonly<Record<string, string>>;
  readonly caller?: Caller;
};

type Parsed = { readonly input: Omit<Call<RequestShape, unknown>, 'caller' | 'ports'> } | { readonly refusal: Refusal };

const isRefusal = (value: object): value is Refusal => 'slug' in value;

/** One operation in service: what all its requests share. */
type Desk<P> = {
  readonly operation: Operation<P>;
  readonly house: House<P>;
  readonly parse: (incoming: Incoming) => Promise<Parsed>;
  /** The idempotency keys that are at work in this process. */
  readonly running: Set<string>;
};

/** The key of a request at work; `print` is there once its input is known. */
type Key = { readonly request: RequestKey; print?: Print };

/**
 * Serves one operation: authenticate, scope, quota, parse, idempotency, run, commit, answer, in this order and nowhere
 * else. Throws only on a fault of the program or the machine.
 */
export function createDispatch<P>(
  operation: Operation<P>,
  house: House<P>,
): (incoming: Incoming) => Promise<Dispatched> {
  const desk: Desk<P> = { operation, house, parse: createParse(operation, house), running: new Set() };
  const together = createCohort();
  return async (incoming) => {
    await together();
    const needed = operation.scope;
    let admitted: Omit<Dispatched, 'result'> = { headers: {} };
    try {
      if (needed === null) return { ...admitted, result: await serve(desk, incoming, nobody) };
      const caller = await house.gate.authenticate(incoming.headers.authorization, needed, incoming);
      if (isRefusal(caller)) return { ...admitted, result: caller };
      const counted = house.gate.take(caller, needed);
      const taken = counted instanceof Promise ? await counted : counted;
      admitted = { headers: taken.headers, caller };
      if (needed !== 'any' && !caller.scopes.has(needed)) {
        return { ...admitted, result: house.gate.missingScope(needed) };
      }
      if (taken.refusal !== undefined) return { ...admitted, result: taken.refusal };
      const result = await serve(desk, incoming, caller);
      if (foundNothing(result)) house.gate.failed?.(caller);
      return { ...admitted, result };
    } catch (fault) {
      const refusal = refusalOfFault(fault);
      if (refusal === undefined) throw fault;
      return { ...admitted, result: refusal };
    }
  };
}

async function serve<P>(shared: Desk<P>, incoming: Incoming, caller: Caller): Promise<Answer | Refusal> {
  const { operation, house, running } = shared;
  const parsed = await shared.parse(incoming);
  if ('refusal' in parsed) return parsed.refusal;
  const longestMs = house.longestHiddenMs ?? 0;
  const hidden = hiddenUse(incoming.headers, caller, { now: parsed.input.now, longestMs });
  if (hidden !== undefined && isRefusal(hidden)) return hidden;
  const desk =
    hidden === undefined ? shared : { ...shared, house: { ...house, commit: hidingCommit(house.commit, hidden) } };
  const call = { ...parsed.input, caller, ports: house.ports };
  const header = operation.idempotent === true ? incoming.headers['idempotency-key'] : undefined;
  if (header === undefined) return await decide(desk, call, undefined);
  const key = parseIdempotencyKey(String(header));
  if (typeof key !== 'string') return key;
  const request = { clientId: caller.clientId, operation: operation.name, key };
  const given: Key = { request };
  if (operation.bodyBytes === undefined) {
    given.print = { print: fingerprint(call.body) };
    const earlier = await findEarlier(house.read, request, given.print);
    if (earlier !== undefined) return outcomeOf(earlier);
  }
  const slot = `${request.clientId} ${key}`;
  if (running.has(slot)) return refuse('idempotency-key-in-progress', undefined, { headers: { 'retry-after': '1' } });
  running.add(slot);
  try {
    return await decide(desk, operation.bodyBytes === undefined ? call : withRepeat(call, given), given);
  } finally {
    running.delete(slot);
  }
}

async function decide<P>(desk: Desk<P>, call: Call<RequestShape, P>, key: Key | undefined): Promise<Answer | Refusal> {
  const decision = await desk.operation.run(call);
  if ('plain' in decision) return decision.plain;
  if ('replayed' in decision) return decision.replayed;
  if ('refusal' in decision) {
    if (decision.effect !== undefined) await desk.house.commit(decision.effect);
    return decision.refusal;
  }
  try {
    await desk.house.commit(key === undefined ? decision.effect : withKey(decision, key, call.now));
  } catch (fault) {
    if (fault instanceof WriteRefused || fault instanceof WriteBusy) await decision.undo?.();
    if (!(fault instanceof WriteRefused)) throw fault;
    if (key !== undefined && fault.statement === decision.effect.statements.length) {
      // Another process stored this key first: its answer is the answer.
      const earlier = await findEarlier(desk.house.read, key.request, printOf(key));
      if (earlier !== undefined) return outcomeOf(earlier);
    }
    if (decision.onRefused === undefined) throw fault;
    return decision.onRefused(fault.statement);
  }
  return typeof decision.answer === 'function' ? await decision.answer() : decision.answer;
}

const nobody: Caller = { clientId: '', scopes: new Set() };

/** The operation itself says what its input is, once it has read it. */
function withRepeat<P>(call: Call<RequestShape, P>, key: Key): Call<RequestShape, P> {
  return {
    ...call,
    repeat: {
      earlier: async (input, open) => {
        key.print = { print: fingerprint(input), open };
        const earlier = await findEarlier(call.read, key.request, key.print);
        if (earlier === undefined) return undefined;
        return 'answer' in earlier ? { replayed: earlier.answer } : { refusal: earlier.refusal };
      },
    },
  };
}

function printOf(key: Key): Print {
  if (key.print === undefined) throw new TypeError('an idempotent operation has to state its input before its effect');
  return key.print;
}

function outcomeOf(earlier: Earlier): Answer | Refusal {
  return 'answer' in earlier ? earlier.answer : earlier.refusal;
}

function withKey(decision: Decision, key: Key, now: number): Effect {
  if (typeof decision.answer === 'function')
    throw new TypeError('an idempotent operation states its answer beforehand');
  const { print } = printOf(key);
  const row = remember({ request: key.request, print }, decision.answer, now, decision.keep);
  return { events: decision.effect.events, statements: [...decision.effect.statements, row] };
}

function refusalOfFault(fault: unknown): Refusal | undefined {
  if (fault instanceof WriteUnknown) return refuse('outcome-unknown', undefined, { headers: { 'retry-after': '2' } });
  if (fault instanceof WriteBusy) return refuse('capacity-reduced', undefined, { headers: { 'retry-after': '1' } });
  if (fault instanceof ReadUnavailable)
    return refuse('capacity-reduced', 'The database cannot be asked at present.', { headers: { 'retry-after': '2' } });
  return undefined;
}

function createParse<P>(operation: Operation<P>, house: House<P>): (incoming: Incoming) => Promise<Parsed> {
  const shape = operation.request;
  const checks: { readonly [K in keyof RequestShape]: Check | undefined } = {
    params: shape.params && compileCheck('path', shape.params),
    query: compileCheck('query', shape.query ?? noParameters),
    headers: shape.headers && compileCheck('header', shape.headers),
    body: shape.body && compileCheck('body', shape.body),
  };
  const headerNames = Object.keys(shape.headers?.properties ?? {});

  return async (incoming) => {
    const query = parseQuery(incoming.query, shape.query);
    const headers = pick(incoming.headers, headerNames);
    const issues: Issue[] = [
      ...(checks.params?.(incoming.params) ?? []),
      ...query.issues,
      ...(checks.query?.(query.values) ?? []),
      ...(checks.headers?.(headers) ?? []),
    ];
    let body: unknown;
    if (checks.body !== undefined) {
      const read = await readBody(incoming);
      if ('refusal' in read) return read;
      body = read.value;
      issues.push(...checks.body(body));
    } else if (operation.bodyBytes !== undefined) {
      const framing = /^multipart\//i.test(incoming.headers['content-type'] ?? '') ? framingBytes : 0;
      const limit = (house.byteLimit ?? operation.bodyBytes.limit) + framing;
      const refusal = announcedTooLarge(incoming.headers['content-length'], limit);
      if (refusal !== undefined) return { refusal };
    }
    if (issues.length > 0) {
      const count = issues.length === 1 ? '1 fault' : `${issues.length} faults`;
      return { refusal: refuse('bad-request', `${count} in the request; each is in issues[].`, { issues }) };
    }
    // The checks above proved that each part has the type its schema derives.
    const typed = { params: incoming.params, query: query.values, headers, body } as unknown as Call<RequestShape, P>;
    const { clock, mint, read } = house;
    const { method, signal, body: bytes } = incoming;
    return { input: { ...typed, method, now: clock.now(), mint, read, bytes, signal } };
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
      refusal: refuse('unsupported-media-type', 'Send application/json.', { headers: { accept: 'application/json' } }),
    };
  }
  const tooLarge = announcedTooLarge(incoming.headers['content-length'], jsonBodyLimit);
  return tooLarge === undefined ? await readJsonBody(incoming.body) : { refusal: tooLarge };
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
