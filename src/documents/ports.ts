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
  /** Whether the register knows the citizen; other deposits are refused. */
  readonly citizenExists: (citizenId: string) => Promise<boolean>;
  /**
   * Whether each known citizen has a key, as with our own register: a deposit for a citizen without a key is then refused.
   * Otherwise such a document is sealed under the decoy key, and only erasing the document itself erases it.
   */
  readonly citizensHaveKeys: boolean;
  /** An active client with its agreed purposes; undefined if it does not exist or is disabled. */
  readonly granteeOf: (clientId: string) => Promise<{ readonly purposes?: readonly string[] | undefined } | undefined>;
  /** The key that signs answers (RFC 9421), if the operator enabled signatures. */
  readonly signer: (() => ResponseSigner) | undefined;
  /** Whether documents are scanned; the operator may have configured delivery without a scan. */
  readonly scans: boolean;
  readonly limit: number;
};
