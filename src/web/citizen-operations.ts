import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { createDispatch, type DispatchContext } from '../api/dispatch.ts';
import type { BoundOperation, ListedOperation, OperationResponse } from '../api/operation.ts';
import { readOwnAccessLog } from '../audit/read-own-access-log.ts';
import { listDocumentRecords } from '../documents/list-documents.ts';
import { retrieveDocument } from '../documents/retrieve-document.ts';
import { changeCitizenLock } from '../identity/change-citizen-lock.ts';
import { readOwnRecord } from '../identity/read-own-record.ts';
import type { Refusal } from '../kernel/refusal.ts';
import { askContactCode } from '../notifications/ask-contact-code.ts';
import { confirmContactAddress } from '../notifications/confirm-contact-address.ts';
import { listInboxMessages } from '../notifications/list-inbox-messages.ts';
import { openInboxMessage } from '../notifications/open-inbox-message.ts';
import { readPreferences } from '../notifications/read-preferences.ts';
import { removeContactAddress } from '../notifications/remove-contact-address.ts';
import { statePreferences } from '../notifications/state-preferences.ts';

/** The input of one page to an operation. */
export type OperationRequest = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: IncomingHttpHeaders;
  /** The JSON body, from a form. */
  readonly json?: object;
  readonly signal?: AbortSignal;
  /** The same as in `IncomingRequest`. */
  readonly onFinished?: (call: () => void) => void;
};

/** Calls an operation with the access token of the citizen. */
export type CallOperation = (accessToken: string, question?: OperationRequest) => Promise<OperationResponse | Refusal>;

/** The operations that the pages of a citizen call. */
export type CitizenOperations = {
  readonly inbox: CallOperation;
  readonly message: CallOperation;
  readonly documents: CallOperation;
  readonly document: CallOperation;
  readonly uses: CallOperation;
  readonly record: CallOperation;
  readonly changeLock: CallOperation;
  readonly wishes: CallOperation;
  readonly stateWishes: CallOperation;
  readonly askCode: CallOperation;
  readonly confirmAddress: CallOperation;
  readonly removeAddress: CallOperation;
};

/** How the pages reach the operations: by the dispatch that serves programs, and bound to the dependencies of their slices. */
export type CitizenOperationsDeps = {
  readonly context: DispatchContext;
  readonly boundOperation: (operation: ListedOperation) => BoundOperation;
};

const neverAborted = new AbortController().signal;

/**
 * Calls the operations through dispatch, as a client of the citizen would. So the pages have no rights of their own, and the
 * ledger records each use.
 */
export function createCitizenOperations(deps: CitizenOperationsDeps): CitizenOperations {
  const createCall = (operation: ListedOperation): CallOperation => {
    const dispatch = createDispatch(deps.boundOperation(operation), deps.context);
    return async (
      accessToken,
      { params = {}, query = {}, headers = {}, json, signal = neverAborted, onFinished } = {},
    ) => {
      const typed = json === undefined ? headers : { ...headers, 'content-type': 'application/json' };
      const { result } = await dispatch({
        method: operation.method,
        params,
        query: new URLSearchParams(query).toString(),
        signal,
        onFinished,
        headers: { ...typed, authorization: `Bearer ${accessToken}` },
        body: Readable.from(json === undefined ? [] : [Buffer.from(JSON.stringify(json))]),
      });
      return result;
    };
  };
  return {
    inbox: createCall(listInboxMessages),
    message: createCall(openInboxMessage),
    documents: createCall(listDocumentRecords),
    document: createCall(retrieveDocument),
    uses: createCall(readOwnAccessLog),
    record: createCall(readOwnRecord),
    changeLock: createCall(changeCitizenLock),
    wishes: createCall(readPreferences),
    stateWishes: createCall(statePreferences),
    askCode: createCall(askContactCode),
    confirmAddress: createCall(confirmContactAddress),
    removeAddress: createCall(removeContactAddress),
  };
}
