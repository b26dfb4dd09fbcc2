import { join } from 'node:path';
import { deleteStoredResultsOf } from '../api/idempotency.ts';
import { deleteSessionsOf } from '../auth/page-session-store.ts';
import type { DocumentPorts } from '../documents/ports.ts';
import { removeSealedBlob } from '../documents/retention/erase-document.ts';
import { eraseDocumentsStatements, erasedDocumentsOf, isCitizenHeld } from '../documents/retention/retention-store.ts';
import { eraseRecordStatements } from '../identity/erase-citizen-record.ts';
import { CitizenUnderLegalHold, type ErasureDeps, eraseCitizen } from '../ledger/erase-citizen.ts';
import { erasedIdOf } from '../ledger/erased-id.ts';
import { erasedListFileName, openErasedList } from '../ledger/erased-list.ts';
import type { Actor } from '../ledger/ledger-event.ts';
import { findUnfinishedErasures, type UnfinishedErasure } from '../ledger/repeat-erasures.ts';
import { eraseMessagesStatements } from '../notifications/erase-citizen-messages.ts';
import { deleteLookUps } from '../staff/look-up-store.ts';
import { eraseProposalsOf } from '../staff/proposal-store.ts';
import type { AppContext } from './app-context.ts';

/** The stores that an erasure changes. */
type WholeErasureDeps = Omit<ErasureDeps, 'actor' | 'extraStatements'> & {
  readonly documents: Pick<DocumentPorts, 'blobs' | 'alarm'>;
};

export type WholeErasureOptions = { readonly actor: Actor; readonly keepsRegisterRow: boolean };

/**
 * Erases a citizen from all slices: docs/operate/retention.md#erasing-a-citizen has the rule for each kind of data. False if nothing is
 * known about the id. Throws `CitizenUnderLegalHold`.
 */
export async function eraseWholeCitizen(
  deps: WholeErasureDeps,
  citizenId: string,
  { actor, keepsRegisterRow }: WholeErasureOptions,
): Promise<boolean> {
  // Before anything is on the list. A hold that is placed meanwhile refuses the unit.
  if (await isCitizenHeld(deps.read, citizenId)) throw new CitizenUnderLegalHold();
  const extraStatements: ErasureDeps['extraStatements'] = (erasure) => [
    ...eraseDocumentsStatements(erasure),
    ...eraseMessagesStatements(erasure),
    ...eraseRecordStatements(erasure),
    eraseProposalsOf(erasure),
    deleteLookUps,
    deleteSessionsOf(erasure.citizenId),
    deleteStoredResultsOf(erasure.citizenId),
    deleteStoredResultsOf(erasure.erasedId),
  ];
  const isErased = await eraseCitizen({ ...deps, actor, extraStatements }, citizenId, { keepsRegisterRow });
  // After a crash before this step, a sweep of the documents removes the blobs.
  const erasedId = erasedIdOf(deps.citizenKeys.pseudonymOf(citizenId));
  for (const id of await erasedDocumentsOf(deps.read, erasedId)) await removeSealedBlob(deps.documents, { id });
  return isErased;
}

function openErasedListOf({ dataDir }: AppContext['settings']) {
  return openErasedList(join(dataDir, erasedListFileName));
}

/** The dependencies of erasures, from an app. */
export async function loadErasureDeps(app: AppContext): Promise<WholeErasureDeps> {
  const { loadDocumentsContext } = await import('./command-contexts.ts');
  const { ports: documents } = await loadDocumentsContext(app);
  return { ...app, read: app.db.read, erasedList: openErasedListOf(app.settings), documents };
}

/**
 * Returns the function that erases citizens again who are on the list of this host, but not erased in the database: an older copy
 * of the database was restored, or a crash interrupted their erasure. It then takes over the erasures that other hosts made. A
 * start calls it before the server listens, and a job each minute, because a database may be restored while servers run. It
 * does nothing while the list and the erasures in the database are as they were at the last call.
 */
export function createErasureRepeater(app: AppContext): () => Promise<void> {
  const erasedList = openErasedListOf(app.settings);
  const { read } = app.db;
  let lastState: string | undefined;

  // The last 100 erasures, because the clocks of hosts differ: a new erasure can have an earlier time than an older one.
  async function currentState(): Promise<string> {
    const newest = await read('select event_id from citizen_erasure order by up_to desc limit 100');
    return JSON.stringify([newest.map((row) => row['event_id']), await erasedList.bytes()]);
  }

  return async () => {
    const state = await currentState();
    if (state === lastState) return;
    const { unfinished, unlisted } = await findUnfinishedErasures({ ...app, read, erasedList });
    await erasedList.add(unlisted);
    if (unfinished.length > 0) await eraseAgain(app, unfinished);
    // The state before this call, so that the next call also finds what other processes have erased meanwhile.
    lastState = state;
  };
}

async function eraseAgain(app: AppContext, unfinished: readonly UnfinishedErasure[]): Promise<void> {
  const deps = await loadErasureDeps(app);
  let held = 0;
  for (const { citizenId, keepsRegisterRow } of unfinished) {
    try {
      await eraseWholeCitizen(deps, citizenId, { actor: { process: 'start' }, keepsRegisterRow });
    } catch (fault) {
      if (!(fault instanceof CitizenUnderLegalHold)) throw fault;
      held += 1;
    }
  }
  app.log.notice('the database contained citizens who are on the list of erased citizens', {
    erasedAgain: unfinished.length - held,
    underLegalHold: held,
  });
}
