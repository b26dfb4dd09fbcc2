import type { Caller } from '../access/caller.ts';
import type { Shown } from '../access/check-binding.ts';
import type { Taken } from '../access/quota.ts';
import type { Clock } from '../kernel/clock.ts';
import { createCohort } from '../kernel/cohort.ts';
import type { Mint } from '../kernel/id.ts';
import { type Refusal, refusalOfIssues, refuse } from '../kernel/problem.ts';
import { Unavailable } from '../kernel/unavailable.ts';
import type { Commit, Effect } from '../ledger/commit.ts';
import { type Read, ReadUnavailable, type RefusalKind, WriteBusy, WriteRefused, WriteUnknown } from '../store/db.ts';
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
import type { Answer, Call, Decision, Needed, Operation, Refused, RequestShape, Scope } from './operation.ts';
import { createParse, type Incoming, type Parsed } from './parse-request.ts';

/** What stands before every operation: who calls, and how much that client may. */
export type Gate = {
  authenticate(
    authorization: string | undefined,
    needed: Exclude<Needed, null>,
    shown: Shown,
  ): Promise<Caller | Refusal>;
  missingScope(scope: Scope, caller: Caller): Refusal;
  /** Takes a place among what is at work, and gives what leaves it; or why the client may have no further one now. */
  enter?(caller: Caller): (() => void) | Refusal;
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
  /** Under it the inputs of requests with an idempotency key are told apart. */
  readonly printKey: Uint8Array;
};

/** What became of it; `headers` are those of the gate, for answers and refusals alike. */
export type Dispatched = {
  readonly result: Answer | Refusal;
  readonly headers: Readonly<Record<string, string>>;
  readonly caller?: Caller;
};

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
    let leave: (() => void) | undefined;
    let streams = false;
    try {
      if (needed === null) return { ...admitted, result: await serve(desk, incoming, nobody) };
      const caller = await house.gate.authenticate(incoming.headers.authorization, needed, incoming);
      if (isRefusal(caller)) return { ...admitted, result: caller };
      const place = house.gate.enter?.(caller);
      if (typeof place === 'object') return { ...admitted, caller, result: place };
      leave = place;
      const counted = house.gate.take(caller, needed);
      const taken = counted instanceof Promise ? await counted : counted;
      admitted = { headers: taken.headers, caller };
      if (needed !== 'any' && !caller.scopes.has(needed)) {
        return { ...admitted, result: house.gate.missingScope(needed, caller) };
      }
      if (taken.refusal !== undefined) return { ...admitted, result: taken.refusal };
      const result = await serve(desk, incoming, caller);
      streams = 'stream' in result && result.stream !== null;
      if (foundNothing(result)) house.gate.failed?.(caller);
      return { ...admitted, result };
    } catch (fault) {
      const refusal = refusalOfFault(fault);
      if (refusal === undefined) throw fault;
      return { ...admitted, result: refusal };
    } finally {
      // What streams is at work until its caller has it, or is gone.
      if (leave !== undefined && streams && incoming.whenOver !== undefined) incoming.whenOver(leave);
      else leave?.();
    }
  };
}

async function serve<P>(shared: Desk<P>, incoming: Incoming, caller: Caller): Promise<Answer | Refusal> {
  const { operation, house, running } = shared;
  const parsed = await shared.parse(incoming);
  if ('refusal' in parsed) return parsed.refusal;
  if ('issues' in parsed) {
    const part = parsed.sound && { ...parsed.sound, caller, ports: house.ports };
    const more = part && (await operation.contentIssues?.(part));
    return refusalOfIssues([...parsed.issues, ...(more ?? [])]);
  }
  const longestMs = house.longestHiddenMs ?? 0;
  const hidden = hiddenUse(incoming.headers, caller, { now: parsed.input.now, longestMs });
  if (hidden !== undefined && isRefusal(hidden)) return hidden;
  const desk =
    hidden === undefined ? shared : { ...shared, house: { ...house, commit: hidingCommit(house.commit, hidden) } };
  const hiddenUntil = hidden?.hiddenUntil === undefined ? undefined : Date.parse(hidden.hiddenUntil);
  const call = { ...parsed.input, caller, ports: house.ports, hiddenUntil };
  const header = operation.idempotent === true ? incoming.headers['idempotency-key'] : undefined;
  if (header === undefined) return await decide(desk, call, undefined);
  const key = parseIdempotencyKey(String(header));
  if (typeof key !== 'string') return key;
  if (operation.rehearses?.(call) === true) return await decide(desk, call, undefined);
  const request = { clientId: caller.clientId, operation: operation.name, key };
  const given: Key = { request };
  if (operation.bodyBytes === undefined) {
    const open = async (kept: string) => operation.openKept?.(kept, house.ports) ?? kept;
    given.print = { print: fingerprint(house.printKey, call.body), open };
    const earlier = await findEarlier(house.read, request, given.print);
    if (earlier !== undefined) return outcomeOf(earlier);
  }
  const slot = `${request.clientId} ${key}`;
  if (running.has(slot)) return refuse('idempotency-key-in-progress', undefined, { headers: { 'retry-after': '1' } });
  running.add(slot);
  try {
    return await decide(desk, operation.bodyBytes === undefined ? call : withRepeat(house, call, given), given);
  } finally {
    running.delete(slot);
  }
}

async function decide<P>(desk: Desk<P>, call: Call<RequestShape, P>, key: Key | undefined): Promise<Answer | Refusal> {
  const decision = await desk.operation.run(call);
  if ('plain' in decision) return decision.plain;
  if ('replayed' in decision) return decision.replayed;
  return await act(desk, decision, { key, now: call.now, left: mostDecisions });
}

/** How often one request is decided: a person or two change a thing at once, and no budget of guesses is as large. */
const mostDecisions = 64;

/** What another change of the same things comes to; what is refused otherwise would be so again. */
const foreseen: ReadonlySet<RefusalKind> = new Set(['rows', 'unique']);

type Turn = { readonly key: Key | undefined; readonly now: number; readonly left: number };

async function act<P>(
  desk: Desk<P>,
  decision: Decision | Refused,
  { key, now, left }: Turn,
): Promise<Answer | Refusal> {
  const { house, operation } = desk;
  if ('refusal' in decision) {
    if (decision.effect !== undefined) await house.commit(decision.effect);
    return decision.refusal;
  }
  try {
    await house.commit(key === undefined ? decision.effect : withKey(decision, key, now));
  } catch (fault) {
    await letGo(decision.answer);
    if (fault instanceof WriteRefused || fault instanceof WriteBusy) await decision.undo?.();
    if (!(fault instanceof WriteRefused)) throw fault;
    if (key !== undefined && fault.statement === decision.effect.statements.length) {
      // Another process stored this key first: its answer is the answer.
      const earlier = await findEarlier(house.read, key.request, printOf(key));
      if (earlier !== undefined) return outcomeOf(earlier);
    }
    if (decision.onRefused === undefined || !foreseen.has(fault.kind)) throw fault;
    if (left === 1 && operation.refusals.includes('changed-meanwhile')) return refuse('changed-meanwhile');
    if (left === 1)
      throw new Error(`the unit of ${operation.name} was refused ${mostDecisions} times`, { cause: fault });
    const instead = await decision.onRefused(fault.statement);
    return isRefusal(instead) ? instead : await act(desk, instead, { key, now, left: left - 1 });
  }
  return typeof decision.answer === 'function' ? await decision.answer() : decision.answer;
}

/** Closes what an answer that is not given was to come from. */
async function letGo(answer: Decision['answer']): Promise<void> {
  if (typeof answer === 'object' && 'stream' in answer) await answer.stream?.return?.();
}

const nobody: Caller = { clientId: '', scopes: new Set() };

/** The operation itself says what its input is, once it has read it. */
function withRepeat<P>({ printKey }: House<P>, call: Call<RequestShape, P>, key: Key): Call<RequestShape, P> {
  return {
    ...call,
    repeat: {
      earlier: async (input, open) => {
        key.print = { print: fingerprint(printKey, input), open };
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
  if (fault instanceof Unavailable) return refuse(fault.slug, undefined, { headers: { 'retry-after': '2' } });
  return undefined;
}
