import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import { deriveContentKey, openEventContent } from '../ledger/event-content.ts';
import type { LogView } from '../ledger/log-view.ts';
import { openEntryContent } from '../ledger/receipt-extra.ts';

type LookDeps = {
  readonly log: Pick<LogView, 'readWaitingOfType' | 'readLastOfType' | 'findContentKey'>;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'pseudonymOf'>;
};

const lookType = 'access-log.read';

/**
 * Whether the ledger has a look of the citizen at the own access log in this session. Further looks are not recorded, because they
 * would fill the list. A look of staff, or in another session, does not count: somebody else may have the citizen's sign-in.
 */
export async function isLookRecorded(
  { log, citizenKeys }: LookDeps,
  { citizenId, session }: { readonly citizenId: string; readonly session: string },
): Promise<boolean> {
  const chain = citizenKeys.pseudonymOf(citizenId);
  const isThisSession = (content: Readonly<Record<string, unknown>> | undefined) => content?.['session'] === session;
  // Waiting events first: an event that gets its number in between is found in the chain.
  const waiting = await log.readWaitingOfType(chain, lookType);
  const key = await citizenKeys.keyOf(citizenId);
  if (waiting.some(({ id, content }) => isThisSession(openEventContent(deriveContentKey(key, id), id, content))))
    return true;
  for (const entry of await log.readLastOfType(chain, lookType)) {
    const content = openEntryContent({ entry: entry.entry, contentKey: await log.findContentKey(entry) });
    if (isThisSession(content)) return true;
  }
  return false;
}
