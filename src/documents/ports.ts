import type { RandomBytes } from '../kernel/clock.ts';
import type { DocumentId } from '../kernel/id.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import type { ResponseSigner } from './http/response-signature.ts';

/** The kinds of alarm about a stored document, which the operator must see at once. */
export type DocumentAlarm =
  | 'document-record-broken'
  | 'document-bytes-broken'
  | 'document-infected'
  | 'document-blob-left';

/** The fault that the log reports for an alarm. Its message names a document by its id, or a store. */
export class DocumentAlarmRaised extends Error {
  override readonly name = 'DocumentAlarmRaised';
}

/** The dependencies of the document operations, which `create-documents.ts` provides. */
export type DocumentPorts = {
  readonly blobs: BlobStore;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'guardedKeyOf' | 'pseudonymOf'>;
  /** 32 bytes, derived from the root for `document-etag`. */
  readonly etagKey: Uint8Array;
  readonly random: RandomBytes;
  readonly alarm: (kind: DocumentAlarm, document: DocumentId) => void;
  /** Whether the register knows the citizen; documents are kept only for those. */
  readonly citizenExists: (citizenId: string) => Promise<boolean>;
  /**
   * Whether each citizen of the register has a key here until erased, as those of our own tables have: then nothing is
   * taken for one without. Else such a document is sealed under a key of the root, and is erased alone.
   */
  readonly citizensHaveKeys: boolean;
  /** The client of that id as it is now, with the purposes that were agreed for it; undefined where none may call. */
  readonly granteeOf: (clientId: string) => Promise<{ readonly purposes?: readonly string[] | undefined } | undefined>;
  /** Gives the key that signs answers (RFC 9421); undefined where the operator has not asked for that. */
  readonly signer: (() => ResponseSigner) | undefined;
  /** Whether documents go through the scanner; else the operator has said that they go out without one. */
  readonly scans: boolean;
  /** The maximum size of a document, in bytes. */
  readonly limit: number;
};
