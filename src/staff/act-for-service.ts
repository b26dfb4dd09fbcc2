import type {
  BoundOperation,
  Decision,
  ListedOperation,
  Operation,
  OperationCall,
  OperationResponse,
  RefusedDecision,
  RequestShape,
} from '../api/operation.ts';
import type { Caller, StaffScope } from '../auth/caller.ts';
import { missingScope } from '../auth/challenge.ts';
import { findClient } from '../auth/client-store.ts';
import type { Read } from '../db/database.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { Effect } from '../ledger/commit.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import type { StaffPorts } from './ports.ts';
import { insertStaffEntry } from './staff-entry-store.ts';
import { hasOneOf, staffActor, staffOf } from './staff-member.ts';

/** How staff call an operation of clients. */
type ServiceAct = {
  readonly name: string;
  readonly path: `/v1/staff/${string}`;
  /** The person needs one of these rights. */
  readonly scopes: readonly [StaffScope, ...StaffScope[]];
  readonly summary: string;
  readonly description: string;
  /** The request, if it is not that of the operation. A member `reason` of the body goes to the staff log. */
  readonly request?: RequestShape;
  /** Parameters of the query that the person cannot choose. */
  readonly query?: Readonly<Record<string, string>>;
  /** The state before and after, for the entry of the staff log; by default nothing. */
  readonly before?: (read: Read, id: string, service: string) => Promise<unknown>;
  readonly after?: (answer: Readonly<Record<string, unknown>>) => unknown;
};

type ServiceCall = OperationCall<RequestShape, StaffPorts>;

/**
 * An operation of clients that staff call for the client of their own service. It runs as for that client, so it shows and changes
 * nothing of another one. Its events name the person as the actor, and the entry of the staff log is in the same unit.
 */
export function actForService(operation: ListedOperation, act: ServiceAct): Operation<StaffPorts> {
  const { name, path, scopes, summary, description, request = operation.request } = act;
  const { contentIssues: _content, openStoredBody: _stored, webhook: _webhook, ...described } = operation;
  const [scope] = scopes;
  return {
    ...described,
    name,
    path,
    summary,
    description,
    request,
    scope: scopes.length === 1 ? scope : 'any',
    callers: ['staff'],
    refusals: [...new Set([...operation.refusals, 'missing-scope', 'conflict'] as const)],
    run: (call) => runForService(operation, act, call),
  };
}

async function runForService(
  operation: ListedOperation,
  act: ServiceAct,
  call: ServiceCall,
): ReturnType<BoundOperation['run']> {
  const [scope] = act.scopes;
  if (!hasOneOf(call.caller, act.scopes)) return { refusal: missingScope(scope, call.caller) };
  const caller = await serviceCallerOf(call, operation);
  if ('slug' in caller) return { refusal: caller };
  const { ports, ...unbound } = call;
  const id = idOf(call.params);
  const before = id === undefined ? undefined : await act.before?.(call.read, id, caller.clientId);
  const outcome = await ports.clientOperation(operation).run({ ...withQuery(unbound, act.query), caller });
  return 'plain' in outcome || 'replayed' in outcome ? outcome : recordAct(outcome, { act, call, before });
}

/** The types of the parts are dropped with `RequestShape`; `request` of the act has checked them. */
function withQuery(call: Omit<ServiceCall, 'ports'>, fixed: ServiceAct['query']): Omit<ServiceCall, 'ports'> {
  return fixed === undefined ? call : Object.assign({}, call, { query: Object.assign({}, call.query, fixed) });
}

/** The client of the person's service as the caller, or why the person cannot act for it. */
async function serviceCallerOf(
  { read, caller }: Pick<ServiceCall, 'read' | 'caller'>,
  { scope }: ListedOperation,
): Promise<Caller | Refusal> {
  const { service } = staffOf(caller);
  if (service === null) return refuse('conflict', 'Your account belongs to no service. Ask the people who manage it.');
  const client = await findClient(read, service);
  if (client === undefined || client.disabledAt !== undefined)
    return refuse('conflict', 'The client of your service does not exist, or it is disabled.');
  const { clientId, scopes, purposes, quota } = client;
  if (scope !== null && scope !== 'any' && !scopes.some((one) => one === scope))
    return refuse('conflict', `The client of your service does not have the scope ${scope}.`);
  return { clientId, quota, scopes: new Set(scopes), purposes: purposes === undefined ? undefined : new Set(purposes) };
}

type ActRecord = { readonly act: ServiceAct; readonly call: ServiceCall; readonly before: unknown };

/** Adds the entry of the staff log to a decision, also to one that replaces it after a conflict. */
function recordAct(outcome: Decision | RefusedDecision, record: ActRecord): Decision | RefusedDecision {
  const { effect } = outcome;
  if ('refusal' in outcome)
    return effect === undefined ? outcome : { ...outcome, effect: { ...effect, events: actorOf(record.call, effect) } };
  const { onConflict } = outcome;
  const { answer } = outcome;
  const shown = typeof answer === 'function' ? answer : withStaffLocation(answer);
  const decision: Decision = { ...outcome, effect: effectWithEntry(outcome, record), answer: shown };
  if (onConflict === undefined) return decision;
  return {
    ...decision,
    onConflict: async (statement) => {
      const next = await onConflict(statement);
      return 'slug' in next ? { refusal: next } : recordAct(next, record);
    },
  };
}

function effectWithEntry({ effect, answer }: Decision, { act, call, before }: ActRecord): Effect {
  const { ports, createId, now, caller } = call;
  const events = actorOf(call, effect);
  const json = typeof answer === 'object' ? jsonOf(answer) : {};
  const entry = insertStaffEntry(ports, {
    id: createId('staffEntry'),
    at: now,
    member: staffOf(caller),
    operation: act.name,
    reason: textMember(call.body, 'reason'),
    reference: idOf(call.params) ?? textMember(json, 'id'),
    before,
    after: act.after?.(json),
    events: events.map(({ id }) => id),
  });
  return { ...effect, events, statements: [...effect.statements, ...entry] };
}

/** Staff read what they have created at the path for staff. */
function withStaffLocation(answer: OperationResponse): OperationResponse {
  const location = answer.headers?.['location'];
  if (location === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, location: location.replace(/^\/v1\//, '/v1/staff/') } };
}

/** The events of an effect, with the person as the actor instead of the client. */
function actorOf({ caller }: Pick<ServiceCall, 'caller'>, { events }: Effect): Effect['events'] {
  const actor = staffActor(staffOf(caller));
  const named = (event: LedgerEvent): LedgerEvent => ('client' in event.actor ? { ...event, actor } : event);
  const [first, ...others] = events;
  return [named(first), ...others.map(named)];
}

function jsonOf(answer: OperationResponse): Readonly<Record<string, unknown>> {
  // The JSON of an operation is an object.
  return 'json' in answer ? (answer.json as Readonly<Record<string, unknown>>) : {};
}

const idOf = (params: unknown) => textMember(params, 'id');

function textMember(from: unknown, name: string): string | undefined {
  const value: unknown = Object(from)[name];
  return typeof value === 'string' ? value : undefined;
}
