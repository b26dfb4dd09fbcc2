import type { Readable } from 'node:stream';
import type { Static, TObject, TSchema } from 'typebox';
import type { Caller, StaffScope } from '../auth/caller.ts';
import type { Read, Statement } from '../db/database.ts';
import type { Json } from '../kernel/canonical-json.ts';
import type { EventId, IdGenerator } from '../kernel/id.ts';
import type { Issue, ProblemSlug, Refusal } from '../kernel/refusal.ts';
import type { Effect } from '../ledger/commit.ts';
import type { Deprecation } from './deprecation.ts';

/** The scopes of clients. A client has some of them. */
export const scopes = [
  'identity:verify',
  'identity:verify:claims',
  'identity:present',
  'notifications:send',
  'notifications:read',
  'documents:read',
  'documents:write',
  'webhooks:manage',
  'events:read',
  'access-log:hide',
  'citizen:self',
  'citizens:known',
] as const;
export type Scope = (typeof scopes)[number] | StaffScope;

/** The right that a caller needs: a scope, any valid token, or nothing. */
export type RequiredScope = Scope | 'any' | null;

/**
 * The callers of an operation: clients that act for themselves, citizens whose token a trusted issuer made, and staff whose token
 * STAFF_ISSUER made.
 */
export const callerKinds = ['clients', 'citizens', 'staff'] as const;
export type CallerKind = (typeof callerKinds)[number];

/** The kind of a caller. */
export function callerKindOf({ staff, citizenId }: Caller): CallerKind {
  if (staff !== undefined) return 'staff';
  return citizenId === undefined ? 'clients' : 'citizens';
}

/** The problem of a caller of another kind, by the kind that an operation names first. */
export const neededTokens = {
  clients: 'client-token-needed',
  citizens: 'citizen-token-needed',
  staff: 'staff-token-needed',
} as const satisfies Record<CallerKind, ProblemSlug>;

/** The schemas of a request. Header names are in lower case; only headers named here reach the operation. */
export type RequestShape = {
  readonly params?: TObject;
  readonly query?: TObject;
  readonly headers?: TObject;
  readonly body?: TObject;
};

type Part<S, K extends keyof RequestShape> = S extends { readonly [P in K]: infer T extends TSchema }
  ? Static<T>
  : undefined;

type Input<S extends RequestShape> = {
  readonly params: Part<S, 'params'>;
  readonly query: Part<S, 'query'>;
  readonly headers: Part<S, 'headers'>;
  readonly body: Part<S, 'body'>;
};

/** All inputs of an operation. */
export type OperationCall<S extends RequestShape, P> = Input<S> & {
  readonly caller: Caller;
  readonly method: string;
  readonly now: number;
  readonly createId: IdGenerator;
  readonly read: Read;
  readonly ports: P;
  /** Until then this access is concealed from its citizen (concealed-access.ts); epoch milliseconds. */
  readonly hiddenUntil?: number | undefined;
  /** Returns the statements for a unit that the operation commits itself, which link its events to the staff log. Absent without an entry. */
  readonly linkToStaffLog?: ((events: readonly EventId[]) => readonly Statement[]) | undefined;
  readonly bytes: Readable;
  /** Aborts when the caller disconnects, for operations with `bodyBytes`; never for others. */
  readonly signal: AbortSignal;
  /** Present if an idempotent operation with `bodyBytes` got an Idempotency-Key. The operation must look it up before its effect. */
  readonly repeat?: IdempotencyLookup | undefined;
};

/** An invalid request: the members of its body that match the schema. */
export type ValidPart<S extends RequestShape, P> = {
  readonly body: Partial<Part<S, 'body'>>;
  /** The members of the body that are invalid or missing. */
  readonly invalidMembers: ReadonlySet<string>;
  readonly caller: Caller;
  readonly now: number;
  readonly ports: P;
};

/** The Idempotency-Key of a request whose body the operation reads. */
type IdempotencyLookup = {
  readonly key: string;
  /** The earlier result of this key, or undefined. `open` decrypts a body that `sealBody` of that decision encrypted. */
  findStoredResult(
    input: Json,
    open: (sealed: string) => Promise<string>,
  ): Promise<ReplayedResult | { refusal: Refusal } | undefined>;
};

/** A stored response. Its event is already in the ledger. */
export type ReplayedResult = { readonly replayed: OperationResponse };

/** The bytes of an answer. A chunk is valid until the next one is read. A consumer that stops early calls `return`. */
export type ByteChunks = AsyncIterableIterator<Uint8Array, unknown, undefined>;

/** A JSON response (`text` if already serialised), or bytes (null for none). Header names are in lower case. */
export type OperationResponse =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly json: unknown;
      readonly text?: string;
    }
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly stream: ByteChunks | null };

/**
 * The decision of an operation. `dispatch` commits `effect` and then answers, so nothing leaves before its event is durable. The
 * row of an idempotency key is in the same unit. An answer that is expensive, or that must not exist before the commit, is a
 * function, which is called after the commit.
 */
export type Decision = {
  readonly effect: Effect;
  readonly answer: OperationResponse | (() => Promise<OperationResponse>);
  /**
   * Called when the database refused the unit because of `unique` or `rows`. It returns a refusal, or a new decision that replaces
   * this one. Without it, such a conflict is a fault. After `maxDecisions` (commit-decision.ts), the request is refused with
   * `changed-meanwhile` if the operation lists that refusal; otherwise it is a fault.
   */
  readonly onConflict?: (statement: number) => Refusal | Promise<Decision | RefusedDecision>;
  /** The number of requests that this one takes from the quota; by default 1. More for a request that stores much. */
  readonly quotaWeight?: number;
  /** Removes what the operation stored outside the database. Not called if the outcome of the write is unknown. */
  readonly undo?: () => Promise<void>;
  /** Seals the body of the answer before it is stored under an idempotency key, so that no personal data is stored in clear. */
  readonly sealBody?: (body: string) => string;
};

/** A refusal, with the event of the refused access if one is recorded. */
export type RefusedDecision = { readonly refusal: Refusal; readonly effect?: Effect };

/** The response of an operation without data of citizens, which has no effect to commit. */
type PlainResult = { readonly plain: OperationResponse };

/**
 * One answer of an operation for the OpenAPI document. It has one media type: JSON (`schema`), the type of the document (`bytes`), or
 * a text format.
 */
export type ResponseShape = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, string>>;
} & (
  | { readonly schema?: TSchema; readonly bytes?: never; readonly text?: never }
  | { readonly schema?: never; readonly bytes: true; readonly text?: never }
  | { readonly schema?: never; readonly bytes?: never; readonly text: TextFormat }
);

/** A text format of a body. */
export type TextFormat = {
  readonly type: string;
  readonly pattern: string;
  readonly description: string;
  readonly example: string;
};

/** The text fields of a `multipart/form-data` body, and the part with the bytes, which comes last. */
export type DocumentForm = { readonly fields: TObject; readonly part: string };

type DocumentBody = { readonly usualType: string; readonly form?: DocumentForm; readonly texts?: never };

type WebhookDescription = {
  readonly name: string;
  /** The group of operations that it belongs to. */
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly schema: TSchema;
};

type OperationDescription = {
  /** camelCase, unique, stable: the operationId of the OpenAPI document. */
  readonly name: string;
  /** The release that added it, in the form `major.minor`. */
  readonly since: string;
  readonly method: 'GET' | 'POST' | 'QUERY' | 'DELETE';
  /** False for a GET without HEAD, because its answer decides or proves something. */
  readonly head?: false;
  /** With `{name}` for parameters, as in OpenAPI. There is one version; later operations get other paths. */
  readonly path: '/v1' | `/v1/${string}`;
  readonly scope: RequiredScope;
  /** Dispatch refuses every other caller before it reads the request. */
  readonly callers: readonly [CallerKind, ...CallerKind[]];
  readonly summary: string;
  readonly description: string;
  readonly responses: Readonly<Record<number, ResponseShape>>;
  readonly refusals: readonly ProblemSlug[];
  /** Set if clients should use another operation instead. No operation is ever removed from /v1. */
  readonly deprecated?: Deprecation;
  /** Set if the server calls a URL of the caller because of it. */
  readonly webhook?: WebhookDescription;
  readonly idempotent?: true;
  /**
   * The body is not JSON but bytes, unread in `call.bytes`: a document of up to the document size limit, or one of some text formats. The
   * operation reads and checks it. `form`: a form is accepted too. `usualType`: a type that the OpenAPI document names besides the
   * wildcard.
   */
  readonly bodyBytes?: DocumentBody | { readonly texts: readonly TextFormat[] };
};

/** An operation as its file defines it. One that uses citizens' data must return an effect, and so an event. */
type OperationDefinition<S extends RequestShape, P> = OperationDescription & {
  readonly request: S;
  /** Opens a body that `sealBody` sealed, when its answer is repeated under an Idempotency-Key. */
  readonly openStoredBody?: (sealed: string, ports: P) => string;
  /** Finds the other issues of a request that does not match its schema, so that the caller gets all issues at once. */
  readonly contentIssues?: (part: ValidPart<S, P>) => Promise<readonly Issue[]>;
} & (
    | {
        readonly citizenData: true;
        run(call: OperationCall<S, P>): Promise<Decision | RefusedDecision | ReplayedResult>;
      }
    | { readonly citizenData: false; run(call: OperationCall<S, P>): Promise<PlainResult | RefusedDecision> }
  );

/** An operation without the types of its request. `P` names what it needs besides the call: the dependencies of its slice. */
export type Operation<P> = OperationDescription & {
  readonly request: RequestShape;
  readonly citizenData: boolean;
  readonly openStoredBody?: (sealed: string, ports: P) => string;
  readonly contentIssues?: (part: ValidPart<RequestShape, P>) => Promise<readonly Issue[]>;
  readonly run: (call: OperationCall<RequestShape, P>) => Promise<OperationOutcome>;
};

/** Any operation, for code that uses only its description. */
export type ListedOperation = Operation<never>;

type OperationOutcome = Decision | RefusedDecision | PlainResult | ReplayedResult;

/** A call as `dispatch` makes it: `bindOperation` adds the dependencies. */
export type UnboundCall = Omit<OperationCall<RequestShape, never>, 'ports'>;

/** An operation with the dependencies of its slice, ready to be dispatched. */
export type BoundOperation = {
  readonly operation: ListedOperation;
  run(call: UnboundCall): Promise<OperationOutcome>;
  openStoredBody(sealed: string): string;
  contentIssues(part: Omit<ValidPart<RequestShape, never>, 'ports'>): Promise<readonly Issue[]>;
};

/** Gives an operation the dependencies that its `run` finds in `call.ports`. */
export function bindOperation<P>(operation: Operation<P>, ports: P): BoundOperation {
  return {
    operation,
    run: (call) => operation.run({ ...call, ports }),
    openStoredBody: (sealed) => operation.openStoredBody?.(sealed, ports) ?? sealed,
    contentIssues: async (part) => (await operation.contentIssues?.({ ...part, ports })) ?? [],
  };
}

/** The HTTP methods of an operation: GET includes HEAD, unless the operation excludes it. */
export function operationMethods({ method, head }: Pick<OperationDescription, 'method' | 'head'>): readonly string[] {
  return method === 'GET' && head !== false ? ['GET', 'HEAD'] : [method];
}

/** Defines the operation of a file. `run` types its call as `OperationCall<typeof request, Ports>`; the rest is inferred. */
export function defineOperation<S extends RequestShape, P>(definition: OperationDefinition<S, P>): Operation<P> {
  // The types of the parsed request are dropped only here. Dispatch checks each part against these schemas before it
  // calls `run`.
  return definition as unknown as Operation<P>;
}
