import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createDispatch, type DispatchContext } from '../api/dispatch.ts';
import type { BoundOperation, ListedOperation, OperationResponse } from '../api/operation.ts';
import type { Refusal } from '../kernel/refusal.ts';
import type { CitizenLayout } from './citizen-layout.ts';

/** The input of one page to an operation. */
type OperationRequest = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: IncomingHttpHeaders;
  /** The JSON body, from a form. */
  readonly json?: object;
  /** A body that is not JSON. */
  readonly bytes?: Readable;
  readonly signal?: AbortSignal;
  /** The same as in `IncomingRequest`, like `onFinished`. */
  readonly session?: string;
  readonly onFinished?: (call: () => void) => void;
};

/** Calls an operation with the access token of the signed-in person. */
export type CallOperation = (
  operation: ListedOperation,
  accessToken: string,
  input?: OperationRequest,
) => Promise<OperationResponse | Refusal>;

/** A signed-in citizen's request for a page. */
export type CitizenRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly view: CitizenLayout;
  readonly citizenId: string;
  readonly token: string;
  readonly call: CallOperation;
  /** The form that this citizen sent to this page after the session had ended. */
  readonly keptForm?: URLSearchParams | undefined;
};

/** How the pages reach the operations: by the dispatch that serves programs, and bound to the dependencies of their slices. */
export type CitizenOperationsDeps = {
  readonly context: DispatchContext;
  readonly boundOperation: (operation: ListedOperation) => BoundOperation;
};

const neverAborted = new AbortController().signal;

/**
 * Calls the operations through dispatch, as a program of the person would. So the pages have no rights of their own, and the
 * ledger records each use.
 */
export function createCallOperation({ context, boundOperation }: CitizenOperationsDeps): CallOperation {
  const dispatches = new Map<ListedOperation, ReturnType<typeof createDispatch>>();
  return async (operation, accessToken, input = {}) => {
    const { params = {}, query = {}, headers = {}, json, bytes, signal = neverAborted, onFinished, session } = input;
    const dispatch = dispatches.get(operation) ?? createDispatch(boundOperation(operation), context);
    dispatches.set(operation, dispatch);
    const typed = json === undefined ? headers : { ...headers, 'content-type': 'application/json' };
    const { result } = await dispatch({
      method: operation.method,
      params,
      query: new URLSearchParams(query).toString(),
      signal,
      onFinished,
      session,
      headers: { ...typed, authorization: `Bearer ${accessToken}` },
      body: bytes ?? Readable.from(json === undefined ? [] : [Buffer.from(JSON.stringify(json))]),
    });
    return result;
  };
}

/** The JSON of an operation. `Json` is the part of its response that the page shows. */
export async function readJson<Json>(
  { call, token }: Pick<CitizenRequest, 'call' | 'token'>,
  operation: ListedOperation,
  input?: OperationRequest,
): Promise<{ readonly json: Json } | Refusal> {
  const answer = await call(operation, token, input);
  if ('slug' in answer) return answer;
  if ('json' in answer) return { json: answer.json as Json };
  throw new TypeError(`the response of ${operation.name} is not JSON`);
}
