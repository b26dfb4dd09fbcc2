import type { Mint } from '../kernel/id.ts';
import { SealBroken } from '../keys/chunked-encryption.ts';
import type { Effect } from '../ledger/commit.ts';
import type { Actor } from '../ledger/event.ts';
import type { HeldDocument } from './document.ts';
import { erasure } from './keeping-store.ts';
import { openContent } from './open-document.ts';
import type { DocumentPorts } from './ports.ts';
import { reprDigest } from './repr-digest.ts';

type Erasing = {
  readonly mint: Mint;
  readonly now: number;
  readonly actor: Actor;
  readonly rule: 'withdrawn' | 'retention-class';
};

/** What erases one document, with the event that proves it: what was destroyed, when, and under which rule. */
export async function erasureOf(
  ports: Pick<DocumentPorts, 'citizenKeys' | 'alarm'>,
  document: HeldDocument,
  { mint, now, actor, rule }: Erasing,
): Promise<Effect> {
  const { id, citizenId, retentionClass } = document;
  const proof = mint('event');
  const content = await openContent(ports, document).catch((fault: unknown) => {
    // A damaged record is erased all the same; what it was sealed to is then not known.
    if (!(fault instanceof SealBroken)) throw fault;
    return undefined;
  });
  const event = {
    ...({ type: 'document.erased', id: proof, at: now, actor, citizenId, document: id, rule } as const),
    retentionClass: retentionClass ?? undefined,
    sealedDigest: content === undefined ? undefined : reprDigest(content.sealedSha256),
  };
  return { events: [event], statements: erasure(document, now, proof) };
}

/**
 * Removes the sealed bytes of a document that was erased, or that nothing became of. Nobody has their key; what is left here, a
 * sweep takes.
 */
export async function removeSealed(ports: Pick<DocumentPorts, 'blobs' | 'alarm'>, { id }: Pick<HeldDocument, 'id'>) {
  try {
    await ports.blobs.remove(id);
  } catch {
    ports.alarm('document-blob-left', id);
  }
}
