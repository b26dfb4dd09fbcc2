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
  /** One document, or all documents of a citizen. */
  readonly on: { readonly document: DocumentId } | { readonly citizenId: string };
};

type HoldDeps = Pick<RetentionDeps, 'read' | 'commit' | 'clock' | 'createId'>;
type PlaceHoldDeps = HoldDeps & { readonly ports: Pick<DocumentPorts, 'citizenExists'> };

/**
 * Places a legal hold, which prevents erasure until it is released. The reason is in the ledger, where the citizen can read it.
 * The citizen must be in the register or have a document: a hold on a misspelled id would protect nothing.
 */
export async function placeHold(
  deps: PlaceHoldDeps,
  { actor, reason, on }: HoldRequest,
): Promise<{ readonly hold: HoldId; readonly event: EventId } | { readonly fault: string }> {
  const document = 'document' in on ? (await findDocument(deps.read, on.document))?.document : undefined;
  if ('document' in on && document === undefined) return { fault: 'there is no such document' };
  const citizenId = document?.citizenId ?? ('citizenId' in on ? on.citizenId : '');
  if (document === undefined && !(await isKnownCitizen(deps, citizenId))) {
    return { fault: 'the register knows no such citizen, and no document is theirs' };
  }
  const [hold, event, now] = [deps.createId('hold'), deps.createId('event'), deps.clock.now()];
  const documentId = document?.id ?? null;
  try {
    await deps.commit({
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

/** Releases a hold; another hold on the same documents stays. */
export async function releaseHold(deps: HoldDeps, id: HoldId, actor: Actor): Promise<{ readonly fault?: string }> {
  const hold = await findHold(deps.read, id);
  if (hold === undefined) return { fault: 'there is no such hold, or it is released already' };
  const { citizenId, documentId } = hold;
  const [event, now] = [deps.createId('event'), deps.clock.now()];
  const document = documentId ?? undefined;
  try {
    await deps.commit({
      events: [{ type: 'document.hold-released', id: event, at: now, actor, citizenId, hold: id, document }],
      statements: releaseHoldStatements(hold, now),
    });
  } catch (fault) {
    if (fault instanceof WriteRefused && fault.kind === 'rows') return { fault: 'it was just released' };
    throw fault;
  }
  return {};
}
