import { WriteRefused } from '../../db/database.ts';
import type { DocumentId, EventId, HoldId } from '../../kernel/id.ts';
import type { Actor } from '../../ledger/ledger-event.ts';
import { findDocument } from '../document-store.ts';
import type { DocumentPorts } from '../ports.ts';
import { countDocuments, findHold, placeHoldStatements, releaseHoldStatements } from './retention-store.ts';
import type { RetentionDeps } from './run-deletion.ts';

type HoldRequest = {
  readonly actor: Actor;
  readonly reason: string;
  /** One document, or everything of a citizen. */
  readonly on: { readonly document: DocumentId } | { readonly citizenId: string };
};

type HoldDeps = Pick<RetentionDeps, 'read' | 'commit' | 'clock' | 'mint'>;
type PlaceHoldDeps = HoldDeps & { readonly ports: Pick<DocumentPorts, 'citizenExists'> };

/**
 * Places a legal hold: what it is on is not erased before it is released. Why goes into the ledger, for the citizen to read.
 * A citizen has to be in the register or to have a document: a hold on a misspelled id would hold nothing.
 */
export async function placeHold(
  parts: PlaceHoldDeps,
  { actor, reason, on }: HoldRequest,
): Promise<{ readonly hold: HoldId; readonly event: EventId } | { readonly fault: string }> {
  const document = 'document' in on ? (await findDocument(parts.read, on.document))?.document : undefined;
  if ('document' in on && document === undefined) return { fault: 'there is no such document' };
  const citizenId = document?.citizenId ?? ('citizenId' in on ? on.citizenId : '');
  if (document === undefined && !(await isKnownCitizen(parts, citizenId))) {
    return { fault: 'the register knows no such citizen, and no document is theirs' };
  }
  const [hold, event, now] = [parts.mint('hold'), parts.mint('event'), parts.clock.now()];
  const documentId = document?.id ?? null;
  try {
    await parts.commit({
      events: [
        { type: 'document.hold-placed', id: event, at: now, actor, citizenId, hold, reason, document: document?.id },
      ],
      statements: placeHoldStatements({ id: hold, citizenId, documentId, placedAt: now }),
    });
  } catch (fault) {
    if (fault instanceof WriteRefused && fault.kind === 'rows') return { fault: 'the document is erased already' };
    throw fault;
  }
  return { hold, event };
}

async function isKnownCitizen({ read, ports }: PlaceHoldDeps, citizenId: string): Promise<boolean> {
  return (await countDocuments(read, citizenId)) > 0 || (await ports.citizenExists(citizenId));
}

/** Releases a hold; where another one stands on the same, that goes on. */
export async function releaseHold(parts: HoldDeps, id: HoldId, actor: Actor): Promise<{ readonly fault?: string }> {
  const hold = await findHold(parts.read, id);
  if (hold === undefined) return { fault: 'there is no such hold, or it is released already' };
  const { citizenId, documentId } = hold;
  const [event, now] = [parts.mint('event'), parts.clock.now()];
  const document = documentId ?? undefined;
  try {
    await parts.commit({
      events: [{ type: 'document.hold-released', id: event, at: now, actor, citizenId, hold: id, document }],
      statements: releaseHoldStatements(hold, now),
    });
  } catch (fault) {
    if (fault instanceof WriteRefused && fault.kind === 'rows') return { fault: 'it was just released' };
    throw fault;
  }
  return {};
}
