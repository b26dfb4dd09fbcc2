import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { createDispatch, type House } from '../api/dispatch.ts';
import type { Answer, Operation } from '../api/operation.ts';
import { listDocumentRecords } from '../documents/list-documents.ts';
import type { DocumentPorts } from '../documents/ports.ts';
import { retrieveDocument } from '../documents/retrieve-document.ts';
import { changeOwnLock } from '../identity/change-own-lock.ts';
import type { IdentityPorts } from '../identity/ports.ts';
import { readOwnRecord } from '../identity/read-own-record.ts';
import type { Refusal } from '../kernel/problem.ts';
import { askContactCode } from '../notifications/contact/ask-contact-code.ts';
import { confirmContactAddress } from '../notifications/contact/confirm-contact-address.ts';
import { readPreferences } from '../notifications/contact/read-preferences.ts';
import { removeContactAddress } from '../notifications/contact/remove-contact-address.ts';
import { statePreferences } from '../notifications/contact/state-preferences.ts';
import { listInboxMessages } from '../notifications/inbox/list-inbox.ts';
import { openInboxMessage } from '../notifications/inbox/open-inbox-message.ts';
import type { NotificationPorts } from '../notifications/ports.ts';
import type { OversightPorts } from '../oversight/ports.ts';
import { readOwnAccessLog } from '../oversight/read-access-log.ts';

/** What one page asks of an operation. */
export type Question = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: IncomingHttpHeaders;
  /** What a form states. */
  readonly json?: object;
  readonly signal?: AbortSignal;
  /** As that of `Incoming`. */
  readonly whenOver?: (call: () => void) => void;
};

/** Asks one operation with the access token of the citizen. */
export type AskOperation = (accessToken: string, question?: Question) => Promise<Answer | Refusal>;

/** The operations that the pages of a citizen stand on. */
export type CitizenOperations = {
  readonly inbox: AskOperation;
  readonly message: AskOperation;
  readonly documents: AskOperation;
  readonly document: AskOperation;
  readonly uses: AskOperation;
  readonly record: AskOperation;
  readonly changeLock: AskOperation;
  readonly wishes: AskOperation;
  readonly stateWishes: AskOperation;
  readonly askCode: AskOperation;
  readonly confirmAddress: AskOperation;
  readonly removeAddress: AskOperation;
};

type Ports = IdentityPorts & NotificationPorts & DocumentPorts & OversightPorts;

const neverAborted = new AbortController().signal;

/**
 * The same operations, by the same dispatch, as a program of the citizen would call them: the pages have no rights of their
 * own, and each look is in the ledger like any other.
 */
export function citizenOperations(house: House<Ports>): CitizenOperations {
  const asking = (operation: Operation<Ports>): AskOperation => {
    const dispatch = createDispatch(operation, house);
    return async (
      accessToken,
      { params = {}, query = {}, headers = {}, json, signal = neverAborted, whenOver } = {},
    ) => {
      const typed = json === undefined ? headers : { ...headers, 'content-type': 'application/json' };
      const { result } = await dispatch({
        ...{ method: operation.method, params, query: new URLSearchParams(query).toString(), signal, whenOver },
        headers: { ...typed, authorization: `Bearer ${accessToken}` },
        body: Readable.from(json === undefined ? [] : [Buffer.from(JSON.stringify(json))]),
      });
      return result;
    };
  };
  return {
    inbox: asking(listInboxMessages),
    message: asking(openInboxMessage),
    documents: asking(listDocumentRecords),
    document: asking(retrieveDocument),
    uses: asking(readOwnAccessLog),
    record: asking(readOwnRecord),
    changeLock: asking(changeOwnLock),
    wishes: asking(readPreferences),
    stateWishes: asking(statePreferences),
    askCode: asking(askContactCode),
    confirmAddress: asking(confirmContactAddress),
    removeAddress: asking(removeContactAddress),
  };
}
