import type {
  BoundOperation,
  Decision,
  ListedOperation,
  Operation,
  OperationCall,
  RefusedDecision,
  RequestShape,
} from '../api/operation.ts';
import type { Caller, StaffMember } from '../auth/caller.ts';
import { missingScope } from '../auth/challenge.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { StaffPorts } from './ports.ts';
import { insertStaffEntry } from './staff-entry-store.ts';
import { staffOf } from './staff-member.ts';

type Call = OperationCall<RequestShape, StaffPorts>;

/** An operation of clients that staff may run for their service. */
type ServiceAct = Pick<ListedOperation, 'name' | 'path' | 'summary' | 'description'> & {
  readonly operation: ListedOperation;
  /** Returns the change for the staff log, from the JSON of the answer. */
  readonly after?: (json: Readonly<Record<string, unknown>>) => unknown;
};

/**
 * Defines an operation for staff that runs an operation of clients for the service of the person. The effect is that of the client, who
 * may do nothing more through its staff than through its own program. The entry of the staff log, which names the person, is stored in
 * the same unit as the effect.
 */
export function actForService({ operation, after, ...named }: ServiceAct): Operation<StaffPorts> {
  const boundIn = (ports: StaffPorts) => ports.serviceOperation(operation);
  return {
    ...operation,
    ...named,
    scope: 'staff:send',
    callers: ['staff'],
    responses: withoutLocations(operation.responses),
    refusals: [...operation.refusals, 'service-needed', 'missing-scope'],
    openStoredBody: (sealed, ports) => boundIn(ports).openStoredBody(sealed),
    contentIssues: async ({ ports, ...part }) => {
      const caller = await serviceCaller(ports, part.caller, operation);
      return 'slug' in caller ? [] : await boundIn(ports).contentIssues({ ...part, caller });
    },
    run: async ({ ports, ...call }) => {
      const caller = await serviceCaller(ports, call.caller, operation);
      if ('slug' in caller) return { refusal: caller };
      const outcome = await boundIn(ports).run({ ...call, caller });
      if (!('answer' in outcome)) return outcome;
      return withStaffEntry(outcome, { call: { ...call, ports }, name: named.name, after });
    },
  };
}

/** The service of a person as the caller of an operation, with the scopes of its client; or the refusal. */
async function serviceCaller(
  { clients }: StaffPorts,
  caller: Caller,
  { scope }: ListedOperation,
): Promise<Caller | Refusal> {
  const { service }: StaffMember = staffOf(caller);
  if (!clients.isFresh()) await clients.refresh();
  if (service === null) return refuse('service-needed');
  // A client may be newer than the cache.
  if (clients.get(service) === undefined) await clients.refresh();
  const client = clients.get(service);
  if (client === undefined || client.disabledAt !== undefined) return refuse('service-needed');
  const scopes = new Set(client.scopes);
  if (scope !== null && scope !== 'any' && !scopes.has(scope)) return missingScope(scope, caller);
  const purposes = client.purposes === undefined ? undefined : new Set(client.purposes);
  return { clientId: client.clientId, scopes, purposes };
}

type EntryContext = { readonly call: Call; readonly name: string; readonly after: ServiceAct['after'] };

function withStaffEntry(decision: Decision, context: EntryContext): Decision {
  const { call, name, after } = context;
  const { effect, answer, onConflict } = decision;
  const entry = insertStaffEntry(call.ports, {
    id: call.createId('staffEntry'),
    at: call.now,
    member: staffOf(call.caller),
    operation: name,
    after: after?.(jsonOf(answer)),
    events: effect.events.map(({ id }) => id),
  });
  return {
    ...decision,
    effect: { ...effect, statements: [...effect.statements, ...entry] },
    answer: withoutLocation(answer),
    ...(onConflict === undefined ? {} : { onConflict: entryOnConflict(onConflict, context) }),
  };
}

/** The decision that replaces another one needs an entry too. */
function entryOnConflict(onConflict: NonNullable<Decision['onConflict']>, context: EntryContext) {
  return (statement: number): Refusal | Promise<Decision | RefusedDecision> => {
    const next = onConflict(statement);
    if (!(next instanceof Promise)) return next;
    return next.then((decided) => ('answer' in decided ? withStaffEntry(decided, context) : decided));
  };
}

function jsonOf(answer: Decision['answer']): Readonly<Record<string, unknown>> {
  const json = 'json' in answer ? answer.json : null;
  return typeof json === 'object' && json !== null ? { ...json } : {};
}

/** The path in the header is for the program of the client. */
function withoutLocation(answer: Decision['answer']): Decision['answer'] {
  if (!('json' in answer)) return answer;
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
