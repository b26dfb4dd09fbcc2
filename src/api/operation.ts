import type { Readable } from 'node:stream';
import type { Static, TObject, TSchema } from 'typebox';
import type { Caller } from '../auth/caller.ts';
import type { Read } from '../db/database.ts';
import type { Json } from '../kernel/canonical-json.ts';
import type { IdGenerator } from '../kernel/id.ts';
import type { Issue, ProblemSlug, Refusal } from '../kernel/refusal.ts';
import type { Effect } from '../ledger/commit.ts';
import type { Deprecation } from './deprecation.ts';

/** The scopes of the interface; a client is allowed some of them. */
export const scopes = [
  'identity:verify',
  'identity:verify:claims',
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
export type Scope = (typeof scopes)[number];

/** What a caller needs: a scope, any good token, or nothing. */
export type RequiredScope = Scope | 'any' | null;

/** The schemas of what comes in. Headers are named in lower case; only those named here reach the operation. */
export type RequestShape = {
  readonly params?: TObject;
  readonly query?: TObject;
  readonly headers?: TObject;
  readonly body?: TObject;
};

type Part<S, K extends keyof RequestShape> = S extends { readonly [P in K]: infer T extends TSchema }
  ? Static<T>
  : undefined;

/** The parsed request. `bytes` is there for operations with `bodyBytes`, unread. */
export type Input<S extends RequestShape> = {
  readonly params: Part<S, 'params'>;
  readonly query: Part<S, 'query'>;
  readonly headers: Part<S, 'headers'>;
  readonly body: Part<S, 'body'>;
};

/** All that an operation is given: nothing is taken from elsewhere. */
export type OperationCall<S extends RequestShape, P> = Input<S> & {
  readonly caller: Caller;
  readonly method: string;
  readonly now: number;
  readonly mint: IdGenerator;
  readonly read: Read;
  readonly ports: P;
  /** Until then this access is concealed from its citizen (concealed-access.ts); epoch milliseconds. */
  readonly hiddenUntil?: number | undefined;
  readonly bytes: Readable;
  /** Aborts when the caller is gone, for operations with `bodyBytes`; for others never. */
  readonly signal: AbortSignal;
  /** There where an idempotent operation with `bodyBytes` was sent an Idempotency-Key: it has to ask, before its effect. */
  readonly repeat?: IdempotencyLookup | undefined;
};

/** A request whose form is at fault: of its body, the members that are as the schema says. */
export type ValidPart<S extends RequestShape, P> = {
  readonly body: Partial<Part<S, 'body'>>;
  /** The members of the body that are at fault, or missing. */
  readonly invalidMembers: ReadonlySet<string>;
  readonly caller: Caller;
  readonly now: number;
  readonly ports: P;
};

/** The Idempotency-Key of a request whose input its operation reads by itself. */
export type IdempotencyLookup = {
  /**
   * The answer that was given before under this key to the same input, or the refusal of another input; undefined: go on.
   * `open` opens what the `keep` of that decision closed.
   */
  findStoredResult(
    input: Json,
    open: (kept: string) => Promise<string>,
  ): Promise<ReplayedResult | { refusal: Refusal } | undefined>;
};

/** An answer that was given before: it has its event already. */
export type ReplayedResult = { readonly replayed: OperationResponse };

/** The bytes of an answer; a piece is good until the next is asked for. What is not taken to its end is returned. */
export type ByteChunks = AsyncIterableIterator<Uint8Array, unknown, undefined>;

/**
 * An answer: JSON, or bytes, perhaps none, whose length and type the headers state. Header names in lower case. `text` is
 * the JSON as it was written already.
 */
export type OperationResponse =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly json: unknown;
      readonly text?: string;
    }
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly stream: ByteChunks | null };

/**
 * What an operation decided. `dispatch` first commits `effect`, then answers: so nothing leaves before its event is
 * durable, and the row of an idempotency key goes into the same unit. An answer that costs something, or that must not
 * exist before the commit, is given as a function, called after it.
 */
export type Decision = {
  readonly effect: Effect;
  readonly answer: OperationResponse | (() => Promise<OperationResponse>);
  /**
   * Called when the unit was refused for a reason the operation foresees (`unique`, `rows`); else it is a fault. An
   * operation that looks again decides anew, and what it then decides is committed and answered in place of this; so often
   * and no longer (`dispatch`), which is `changed-meanwhile` where that is among its refusals, and else a fault.
   */
  readonly onConflict?: (statement: number) => Refusal | Promise<Decision | RefusedDecision>;
  /**
   * Takes back what the operation stored outside the database. Called when the unit is not stored; never when its
   * outcome is unknown, since the row may be there: then a sweep decides by looking.
   */
  readonly undo?: () => Promise<void>;
  /** Closes the body of the answer before it is stored under an idempotency key: personal data stays sealed there too. */
  readonly sealBody?: (body: string) => string;
};

/** A refusal, with the event of the denied use where there was one. */
export type RefusedDecision = { readonly refusal: Refusal; readonly effect?: Effect };

/** What an operation without citizens' data answers: there is nothing to commit. */
export type PlainResult = { readonly plain: OperationResponse };

/** One answer of an operation for the OpenAPI document: a schema, bytes, or text. */
export type ResponseShape = {
  readonly description: string;
  readonly schema?: TSchema;
  readonly bytes?: true;
  /** The same as text, where `Accept` prefers that: its media type, how it begins, and what it is. */
  readonly text?: {
    readonly type: string;
    readonly pattern: string;
    readonly description: string;
    readonly example: string;
  };
  readonly headers?: Readonly<Record<string, string>>;
};

/** The fields of text of a `multipart/form-data`, and the part behind them that has the bytes. */
export type DocumentForm = { readonly fields: TObject; readonly part: string };

/** What the server itself sends to an address that such an operation was given. */
type WebhookDescription = {
  readonly name: string;
  /** The group of operations that it is about. */
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly schema: TSchema;
};

type OperationDescription = {
  /** camelCase, unique, stable: the operationId of the OpenAPI document. */
  readonly name: string;
  /** The release that brought it, as `major.minor`. */
  readonly since: string;
  readonly method: 'GET' | 'POST' | 'QUERY' | 'DELETE';
  /** False for a GET without HEAD: one that decides something, or proves something by what it gives out. */
  readonly head?: false;
  /** With `{name}` for parameters, as in OpenAPI. There is one version: what comes later stands beside what there is. */
  readonly path: '/v1' | `/v1/${string}`;
  readonly scope: RequiredScope;
  readonly summary: string;
  readonly description: string;
  readonly responses: Readonly<Record<number, ResponseShape>>;
  readonly refusals: readonly ProblemSlug[];
  /** Set where the operation is to go; nothing is ever taken out of /v1. */
  readonly deprecated?: Deprecation;
  /** Set where it has an address of the caller's called. */
  readonly webhook?: WebhookDescription;
  /** Whether `Idempotency-Key` is honoured. */
  readonly idempotent?: true;
  /**
   * The body is not JSON but bytes, given unread as `call.bytes`, up to what a document may weigh here. `form`: where a form may be
   * sent instead, as the OpenAPI document shows it; the operation reads and checks it. `usualType`: generated clients name the
   * first type of the document, and a wildcard is none that can be sent.
   */
  readonly bodyBytes?: { readonly usualType: string; readonly form?: DocumentForm };
};

/** An operation as its file states it. One that touches citizens' data must return an effect, and so an event. */
type OperationDefinition<S extends RequestShape, P> = OperationDescription & {
  readonly request: S;
  /** Whether this request only shows what would be done: its Idempotency-Key is neither looked up nor kept. */
  readonly isDryRun?: (input: Input<S>) => boolean;
  /** Opens the body that `keep` of its decision closed, where its answer is repeated under an Idempotency-Key. */
  readonly openStoredBody?: (kept: string, ports: P) => string;
  /** What is wrong besides, where a request is at fault in its form: a caller is told all at once. */
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
  readonly isDryRun?: (input: Input<RequestShape>) => boolean;
  readonly openStoredBody?: (kept: string, ports: P) => string;
  readonly contentIssues?: (part: ValidPart<RequestShape, P>) => Promise<readonly Issue[]>;
  readonly run: (call: OperationCall<RequestShape, P>) => Promise<OperationOutcome>;
};

/** Any operation, where only its description counts. */
export type ListedOperation = Operation<never>;

type OperationOutcome = Decision | RefusedDecision | PlainResult | ReplayedResult;

/** A call as `dispatch` makes it: `bindOperation` adds the dependencies. */
export type UnboundCall = Omit<OperationCall<RequestShape, never>, 'ports'>;

/** An operation with the dependencies of its slice, ready to be dispatched. */
export type BoundOperation = {
  readonly operation: ListedOperation;
  run(call: UnboundCall): Promise<OperationOutcome>;
  openStoredBody(kept: string): string;
  contentIssues(part: Omit<ValidPart<RequestShape, never>, 'ports'>): Promise<readonly Issue[]>;
};

/** Gives an operation the dependencies that its `run` finds in `call.ports`. */
export function bindOperation<P>(operation: Operation<P>, ports: P): BoundOperation {
  return {
    operation,
    run: (call) => operation.run({ ...call, ports }),
    openStoredBody: (kept) => operation.openStoredBody?.(kept, ports) ?? kept,
    contentIssues: async (part) => (await operation.contentIssues?.({ ...part, ports })) ?? [],
  };
}

/** The methods by which an operation is asked: GET has HEAD with it, unless the operation says otherwise. */
export function operationMethods({ method, head }: Pick<OperationDescription, 'method' | 'head'>): readonly string[] {
  return method === 'GET' && head !== false ? ['GET', 'HEAD'] : [method];
}

/** Makes the operation of a file: `run` names its call as `Call<typeof request, Ports>`, and the rest is inferred. */
export function defineOperation<S extends RequestShape, P>(definition: OperationDefinition<S, P>): Operation<P> {
  // The one place where the types of a parsed request are forgotten: dispatch checks each part against these very
  // schemas before it calls `run`.
  return definition as unknown as Operation<P>;
}
