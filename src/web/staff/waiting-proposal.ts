import { listProposals } from '../../staff/list-proposals.ts';
import type { proposalView } from '../../staff/proposal.ts';
import { readJson } from '../citizen-operations.ts';
import { staffPaths } from './staff-area.ts';
import type { StaffVisit } from './staff-page.ts';

type Proposals = { readonly items: readonly ReturnType<typeof proposalView>[] };

/** The page of the person's own proposal with this operation and input that waits, if they sent the form twice. */
export async function waitingProposalPath(
  visit: StaffVisit,
  { operation, input }: { readonly operation: string; readonly input: object },
): Promise<string | undefined> {
  const list = await readJson<Proposals>(visit, listProposals, { query: { status: 'proposed' } });
  if (!('json' in list)) return undefined;
  const wanted = JSON.stringify(input);
  const found = list.json.items.find(
    (one) =>
      one.operation === operation &&
      one.status === 'proposed' &&
      one.proposedBy.subject === visit.member.subject &&
      JSON.stringify(one.input) === wanted,
  );
  return found && `${staffPaths.proposals}/${found.id}?done=proposed`;
}
