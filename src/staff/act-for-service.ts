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
import type { Read } from '../db/database.ts';
import type { EventId, StaffEntryId } from '../kernel/id.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { Effect } from '../ledger/commit.ts';
import type { StaffPorts } from './ports.ts';
import { insertEntryEvents, insertStaffEntry } from './staff-entry-store.ts';
import { hasOneOf, staffOf } from './staff-member.ts';

/** An operation of clients that staff may run for their service. */
type ServiceAct = Pick<ListedOperation, 'name' | 'path' | 'summary' | 'description'> & {
  readonly operation: ListedOperation;
  /** The person needs one of these rights; by default `staff:send`. */
  readonly scopes?: readonly [StaffScope, ...StaffScope[]];
  /** The request, if it is not that of the operation. A member `reason` of the body goes to the staff log. */
  readonly request?: RequestShape;
  /** Parameters of the query that the person cannot choose. */
  readonly query?: Readonly<Record<string, string>>;
  /** Returns the state before the change for the staff log, from the id in the path. */
  readonly before?: (read: Read, id: string, service: string) => Promise<unknown>;
  /** Returns the change for the staff log, from the JSON of the answer. */
  readonly after?: (json: Readonly<Record<string, unknown>>) => unknown;
};

type Call = OperationCall<RequestShape, StaffPorts>;

/**
 * Defines an operation for staff that runs an operation of clients for the service of the person. It runs as for that client, so it shows
 * and changes nothing of another one. Its events name the client. The entry of the staff log names the person, and is in the same unit.
 */
export function actForService(act: ServiceAct): Operation<StaffPorts> {
  const { operation, name, path, summary, description, request = operation.request } = act;
  const { webhook: _webhook, ...described } = operation;
  const scopes = scopesOf(act);
  const boundIn = (ports: StaffPorts) => ports.serviceOperation(operation);
  return {
    ...described,
    name,
    path,
    summary,
    description,
    request,
    scope: scopes.length === 1 ? scopes[0] : 'any',
    callers: ['staff'],
    responses: withoutLocations(operation.responses),
    refusals: [...operation.refusals, 'service-needed', 'missing-scope'],
    openStoredBody: (sealed, ports) => boundIn(ports).openStoredBody(sealed),
    contentIssues: async ({ ports, ...part }) => {
      const caller = await serviceCaller(ports, part.caller, operation);
      return 'slug' in caller ? [] : await boundIn(ports).contentIssues({ ...part, caller });
    },
    run: (call) => runForService(act, call),
  };
}

const scopesOf = ({ scopes = ['staff:send'] }: ServiceAct) => scopes;

async function runForService(act: ServiceAct, call: Call): ReturnType<BoundOperation['run']> {
  const scopes = scopesOf(act);
  if (!hasOneOf(call.caller, scopes)) return { refusal: missingScope(scopes[0], call.caller) };
  const { ports, ...unbound } = call;
  const caller = await serviceCaller(ports, call.caller, act.operation);
  if ('slug' in caller) return { refusal: caller };
  const id = idOf(call.params);
  const before = id === undefined ? undefined : await act.before?.(call.read, id, caller.clientId);
  const entry = call.createId('staffEntry');
  const linkToStaffLog = (events: readonly EventId[]) => insertEntryEvents(entry, events);
  const serviceCall = { ...withQuery(unbound, act.query), caller, linkToStaffLog };
  const outcome = await ports.serviceOperation(act.operation).run(serviceCall);
  return 'answer' in outcome ? withStaffEntry(outcome, { act, call, before, entry }) : outcome;
}

/** The types of the parts are dropped with `RequestShape`; `request` of the act has checked them. */
function withQuery(call: Omit<Call, 'ports'>, fixed: ServiceAct['query']): Omit<Call, 'ports'> {
  return fixed === undefined ? call : Object.assign({}, call, { query: Object.assign({}, call.query, fixed) });
}

/** The service of a person as the caller of an operation, with the scopes of its client; or the refusal. */
async function serviceCaller(
  { clients }: StaffPorts,
  caller: Caller,
  { scope }: ListedOperation,
): Promise<Caller | Refusal> {
  const { service } = staffOf(caller);
  if (service === null) return refuse('service-needed');
  // A client may be newer than the cache.
  if (!clients.isFresh() || clients.get(service) === undefined) await clients.refresh();
  const client = clients.get(service);
  if (client === undefined || client.disabledAt !== undefined) return refuse('service-needed');
  const { clientId, purposes, quota } = client;
  const scopes = new Set<string>(client.scopes);
  if (scope !== null && scope !== 'any' && !scopes.has(scope)) return missingScope(scope, caller);
  return { clientId, scopes, quota, purposes: purposes === undefined ? undefined : new Set(purposes) };
}

type ActRecord = {
  readonly act: ServiceAct;
  readonly call: Call;
  readonly before: unknown;
  readonly entry: StaffEntryId;
};

/** Adds the entry of the staff log to a decision, also to one that replaces it after a conflict. */
function withStaffEntry(decision: Decision, record: ActRecord): Decision {
  const { answer, onConflict } = decision;
  return {
    ...decision,
    effect: effectWithEntry(decision, record),
    answer: typeof answer === 'function' ? answer : withoutLocation(answer),
    ...(onConflict === undefined ? {} : { onConflict: entryOnConflict(onConflict, record) }),
  };
}

function entryOnConflict(onConflict: NonNullable<Decision['onConflict']>, record: ActRecord) {
  return (statement: number): Refusal | Promise<Decision | RefusedDecision> => {
    const next = onConflict(statement);
    if (!(next instanceof Promise)) return next;
    return next.then((decided) => ('answer' in decided ? withStaffEntry(decided, record) : decided));
  };
}

function effectWithEntry({ effect, answer }: Decision, { act, call, before, entry: id }: ActRecord): Effect {
  const { ports, now, caller } = call;
  const json = typeof answer === 'object' ? jsonOf(answer) : {};
  const entry = insertStaffEntry(ports, {
    id,
    at: now,
    member: staffOf(caller),
    operation: act.name,
    reason: textMember(call.body, 'reason'),
    reference: idOf(call.params) ?? textMember(json, 'id'),
    before,
    after: act.after?.(json),
    events: effect.events.map(({ id }) => id),
  });
  return { ...effect, statements: [...effect.statements, ...entry] };
}

function jsonOf(answer: OperationResponse): Readonly<Record<string, unknown>> {
  const json = 'json' in answer ? answer.json : null;
  return typeof json === 'object' && json !== null ? { ...json } : {};
}

/** The path in the header is for the program of the client. */
function withoutLocation(answer: OperationResponse): OperationResponse {
  const { location: _location, ...headers } = answer.headers ?? {};
  return { ...answer, headers };
}

function withoutLocations(responses: ListedOperation['responses']): ListedOperation['responses'] {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { Location: _location, ...headers } = response.headers ?? {};
      return [status, { ...response, headers }];
    }),
  );
}

const idOf = (params: unknown) => textMember(params, 'id');

function textMember(from: unknown, name: string): string | undefined {
  const value: unknown = Object(from)[name];
  return typeof value === 'string' ? value : undefined;
}

/** Finds the bound operations of clients that staff may run. */
export function serviceOperationsOf(bound: readonly BoundOperation[]): StaffPorts['serviceOperation'] {
  const found = new Map(bound.map((one) => [one.operation, one]));
  return (operation) => found.get(operation) ?? missingOperation(operation);
}

/** A bug: staff run an operation that no slice binds. */
class ServiceOperationMissing extends Error {
  override readonly name = 'ServiceOperationMissing';
}

function missingOperation({ name }: ListedOperation): never {
  throw new ServiceOperationMissing(`no slice binds ${name}`);
}
