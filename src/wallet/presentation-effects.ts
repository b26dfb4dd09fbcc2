import { type Statement, WriteRefused } from '../db/database.ts';
import type { IdGenerator } from '../kernel/id.ts';
import type { Commit, Effect } from '../ledger/commit.ts';
import type { WalletPorts } from './ports.ts';
import {
  type OpenPresentation,
  type PendingPresentation,
  type Presentation,
  type PresentationEvent,
  type PresentationStatus,
  presentationHead,
} from './protocol/presentation.ts';
import { endPresentation, insertHandle, markAnswered, type PresentationEnd } from './protocol/presentation-store.ts';

/** The actor of a change, and its time (epoch milliseconds). */
export type ChangedBy = {
  readonly now: number;
  readonly createId: IdGenerator;
  readonly actor: PresentationEvent['actor'];
};

/** How a presentation ends without a result. */
export type Ending =
  | { readonly to: 'failed'; readonly reason: NonNullable<PresentationEnd['reason']> }
  | { readonly to: 'refused'; readonly walletError: NonNullable<PresentationEnd['walletError']> }
  | { readonly to: 'expired' | 'cancelled' };

/** Ends a presentation without a result. Refused (`rows`) if its state is none of `from`. */
export function endWithoutResult(
  { feedEvent }: Pick<WalletPorts, 'feedEvent'>,
  presentation: Pick<Presentation, 'id' | 'clientId'>,
  ending: Ending & { readonly from: readonly PresentationStatus[] },
  { now, createId, actor }: ChangedBy,
): Effect {
  const head = presentationHead(presentation, { event: createId('event'), at: now, actor });
  const event = endEvent(head, ending);
  return {
    events: [event],
    statements: [endPresentation(presentation.id, { at: now, ...ending }), feedEvent(event, ending.to)],
  };
}

function endEvent(head: ReturnType<typeof presentationHead>, ending: Ending): PresentationEvent {
  switch (ending.to) {
    case 'failed':
      return { type: 'identity.presentation-failed', ...head, reason: ending.reason };
    case 'refused':
      return { type: 'identity.presentation-refused', ...head, error: ending.walletError };
    case 'expired':
      return { type: 'identity.presentation-expired', ...head };
    case 'cancelled':
      return { type: 'identity.presentation-cancelled', ...head };
  }
}

/** Stores a checked presentation until the service confirms its session. `codeHandle` opens the page with the code. */
export function awaitSession(
  ports: Pick<WalletPorts, 'feedEvent' | 'sealKey' | 'random'>,
  presentation: OpenPresentation,
  { pending, codeHandle }: { readonly pending: PendingPresentation; readonly codeHandle: string | undefined },
  { now, createId, actor }: ChangedBy,
): Effect {
  const { id } = presentation;
  const event: PresentationEvent = {
    type: 'identity.presentation-answered',
    ...presentationHead(presentation, { event: createId('event'), at: now, actor }),
  };
  const handles: readonly Statement[] = codeHandle === undefined ? [] : [insertHandle('code-page', codeHandle, id)];
  return {
    events: [event],
    statements: [markAnswered(ports, id, pending), ...handles, ports.feedEvent(event, 'answered')],
  };
}

/** Commits an effect. Returns false if the presentation has another state meanwhile: nothing is stored then. */
export async function commitUnlessChanged(commit: Commit, effect: Effect): Promise<boolean> {
  try {
    await commit(effect);
    return true;
  } catch (fault) {
    if (fault instanceof WriteRefused && fault.kind === 'rows') return false;
    throw fault;
  }
}
