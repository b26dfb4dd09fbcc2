import type { Caller } from '../auth/caller.ts';
import { type Read, type RefusalKind, type Statement, WriteBusy, WriteRefused } from '../db/database.ts';
import type { EventId } from '../kernel/id.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/refusal.ts';
import type { Commit, Effect } from '../ledger/commit.ts';
import { type Concealment, isCitizenEvent } from '../ledger/ledger-event.ts';
import { concealEffect } from './concealed-access.ts';
import { findStoredResult, type IdempotencyState, requestFingerprintOf, storeResult } from './idempotency.ts';
import {
  callerKindOf,
  type Decision,
  type ListedOperation,
  type OperationResponse,
  type RefusedDecision,
} from './operation.ts';

/** Dependencies of the commit of a decision. */
export type CommitContext = {
  readonly read: Read;
  readonly commit: Commit;
  /** The statements that record an act of a client in the staff log; none for most acts. */
  readonly clientActStatements?: ((act: ClientAct) => readonly Statement[]) | undefined;
};

/** An act of a client with its ledger events. */
type ClientAct = {
  readonly clientId: string;
  readonly operation: string;
  readonly concealment: Concealment | undefined;
  readonly now: number;
  readonly events: readonly EventId[];
  /** The JSON of the answer; undefined for another answer or a refusal. */
  readonly json: unknown;
};

type CommitRuntime = { readonly app: CommitContext; readonly operation: ListedOperation };

/** The maximum number of decisions for one request. Each verification limit is smaller. */
const maxDecisions = 64;

class ConflictUnresolved extends Error {
  override readonly name = 'ConflictUnresolved';
}

const conflictKinds: ReadonlySet<RefusalKind> = new Set(['rows', 'unique']);

/** The idempotency key of a request, and the concealment that the client asked for. */
export type CommitOptions = {
  readonly key?: IdempotencyState;
  readonly concealment: Concealment | undefined;
};

type CommitAttempt = CommitOptions & {
  readonly caller: Caller;
  readonly now: number;
  /** The number of earlier decisions of this request that the database refused. */
  readonly conflicts: number;
};

/** Commits a decision with its event, and returns its answer. After a conflict, it commits the next decision of the operation. */
export async function commitDecision(
  runtime: CommitRuntime,
  decision: Decision | RefusedDecision,
  attempt: CommitAttempt,
): Promise<OperationResponse | Refusal> {
  const { app } = runtime;
  const { key, now } = attempt;
  if ('refusal' in decision) {
    if (decision.effect !== undefined) await app.commit(completeEffect(runtime, decision.effect, attempt));
    return decision.refusal;
  }
  try {
    const effect = key === undefined ? decision.effect : withStoredResult(decision, key, now);
    await app.commit(completeEffect(runtime, effect, attempt, decision.answer));
  } catch (fault) {
    await closeStream(decision.answer);
    if (fault instanceof WriteRefused || fault instanceof WriteBusy) await decision.undo?.();
    if (!(fault instanceof WriteRefused)) throw fault;
    return await resolveConflict(runtime, decision, attempt, fault);
  }
  return typeof decision.answer === 'function' ? await decision.answer() : decision.answer;
}

/** The result after the database refused the unit of a decision: an earlier response, or that of the next decision. */
async function resolveConflict(
  runtime: CommitRuntime,
  decision: Decision,
  attempt: CommitAttempt,
  fault: WriteRefused,
): Promise<OperationResponse | Refusal> {
  const { app, operation } = runtime;
  const { key, conflicts } = attempt;
  if (key !== undefined && fault.statement === decision.effect.statements.length) {
    // Another process stored this key first, so its response counts.
    const earlier = await findStoredResult(app.read, key.request, requestFingerprintOf(key));
    if (earlier !== undefined) return earlier;
  }
  if (decision.onConflict === undefined || !conflictKinds.has(fault.kind)) throw fault;
  if (conflicts + 1 === maxDecisions) {
    if (operation.refusals.includes('changed-meanwhile')) return refuse('changed-meanwhile');
    const message = `the write of ${operation.name} was refused ${maxDecisions} times`;
    throw new ConflictUnresolved(message, { cause: fault });
  }
  const next = await decision.onConflict(fault.statement);
  return isRefusal(next) ? next : await commitDecision(runtime, next, { ...attempt, conflicts: conflicts + 1 });
}

/** Conceals the events if the client asked for it, and adds the entry of the staff log after all other statements. */
function completeEffect(
  { app, operation }: CommitRuntime,
  effect: Effect,
  { caller, concealment, now }: CommitAttempt,
  answer?: Decision['answer'],
): Effect {
  const shown = concealment === undefined ? effect : concealEffect(effect, concealment);
  if (app.clientActStatements === undefined || callerKindOf(caller) !== 'clients') return shown;
  const events = effect.events.map(({ id }) => id);
  const json = typeof answer === 'object' && 'json' in answer ? answer.json : undefined;
  const act = { clientId: caller.clientId, operation: operation.name, concealment, now, events, json };
  const entry = app.clientActStatements(act);
  return entry.length === 0 ? shown : { ...shown, statements: [...shown.statements, ...entry] };
}

async function closeStream(answer: Decision['answer']): Promise<void> {
  if (typeof answer === 'object' && 'stream' in answer) await answer.stream?.return?.();
}

function withStoredResult(decision: Decision, key: IdempotencyState, now: number): Effect {
  if (typeof decision.answer === 'function')
    throw new TypeError('expected the response of an idempotent operation before its commit');
  const { digest } = requestFingerprintOf(key);
  const citizenId = decision.effect.events.find(isCitizenEvent)?.citizenId ?? null;
  const row = storeResult({ request: key.request, digest, citizenId }, decision.answer, now, decision.sealBody);
  return { ...decision.effect, statements: [...decision.effect.statements, row] };
}
