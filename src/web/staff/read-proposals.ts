import type { Refusal } from '../../kernel/refusal.ts';
import { listProposals } from '../../staff/list-proposals.ts';
import type { proposalView } from '../../staff/proposal.ts';
import { readJson } from '../citizen-operations.ts';
import { staffPaths } from './staff-area.ts';
import type { StaffVisit } from './staff-page.ts';

/** A proposal on the wire. */
export type ShownProposal = ReturnType<typeof proposalView>;

/** A page of proposals, as `listProposals` returns it. */
export type ProposalPage = { readonly items: readonly ShownProposal[]; readonly next: string | null };

/** Reads all pages of the proposals with this state or operation, the newest first. */
export async function readProposals(
  visit: StaffVisit,
  query: { readonly status?: 'proposed'; readonly operation?: string },
): Promise<readonly ShownProposal[] | Refusal> {
  const found: ShownProposal[] = [];
  for (let cursor: Readonly<Record<string, string>> = {}; ; ) {
    const page = await readJson<ProposalPage>(visit, listProposals, { query: { ...query, limit: '100', ...cursor } });
    if (!('json' in page)) return page;
    found.push(...page.json.items);
    if (page.json.next === null) return found;
    cursor = { cursor: page.json.next };
  }
}

/** The page of the person's own proposal with this operation and input that waits, if they sent the form twice. */
export async function waitingProposalPath(
  visit: StaffVisit,
  { operation, input }: { readonly operation: string; readonly input: object },
): Promise<string | undefined> {
  const proposals = await readProposals(visit, { status: 'proposed', operation });
  if ('slug' in proposals) return undefined;
  const wanted = JSON.stringify(input);
  const found = proposals.find(
    ({ proposedBy, input: proposed }) =>
      proposedBy.subject === visit.member.subject && JSON.stringify(proposed) === wanted,
  );
  return found && `${staffPaths.proposals}/${found.id}?done=proposed`;
}
