import { SealBroken } from '../../crypto/chunked-encryption.ts';
import type { IdGenerator } from '../../kernel/id.ts';
import type { Effect } from '../../ledger/commit.ts';
import type { Actor } from '../../ledger/ledger-event.ts';
import type { SealedDocument } from '../document.ts';
import { reprDigest } from '../http/repr-digest.ts';
import { openDocumentContent } from '../open-document.ts';
import type { DocumentPorts } from '../ports.ts';
import { eraseStatements } from './retention-store.ts';

type ErasureContext = {
  readonly createId: IdGenerator;
  readonly now: number;
  readonly actor: Actor;
  readonly rule: 'withdrawn' | 'retention-class';
};

/** The effect that erases one document, with the event that proves what was destroyed, when, and by which rule. */
export async function erasureEffect(
  ports: Pick<DocumentPorts, 'citizenKeys' | 'alarm'>,
  document: SealedDocument,
  { createId, now, actor, rule }: ErasureContext,
): Promise<Effect> {
  const { id, citizenId, retentionClass } = document;
  const proof = createId('event');
  const content = await openDocumentContent(ports, document).catch((fault: unknown) => {
    // A damaged record is erased as well; the digest of its blob is then unknown.
    if (!(fault instanceof SealBroken)) throw fault;
    return undefined;
  });
  const event = {
    type: 'document.erased',
    id: proof,
    at: now,
    actor,
    citizenId,
    document: id,
    rule,
    retentionClass: retentionClass ?? undefined,
    sealedDigest: content === undefined ? undefined : reprDigest(content.sealedSha256),
  } as const;
  return { events: [event], statements: eraseStatements(document, now, proof) };
}

/** Removes the blob of an erased or rejected document. Its key no longer exists; a sweep removes a blob that is left here. */
export async function removeSealedBlob(
  ports: Pick<DocumentPorts, 'blobs' | 'alarm'>,
  { id }: Pick<SealedDocument, 'id'>,
) {
  try {
    await ports.blobs.remove(id);
  } catch {
    ports.alarm('document-blob-left', id);
  }
}
