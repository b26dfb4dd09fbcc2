import type { Read, Row, Statement } from '../db/database.ts';
import { bytesField, enumField, idField, integerField, textField, textOrNull } from '../db/row-fields.ts';
import { canonicalJson, type Json } from '../kernel/canonical-json.ts';
import { hmacString } from '../kernel/hashing.ts';
import { minIdAt, type ProposalId } from '../kernel/id.ts';
import type { CitizenErasure } from '../ledger/erase-citizen.ts';
import { type Proposal, type proposalFilters, proposalStatuses } from './proposal.ts';
import { endOfTime, openStaffValue, type StaffKeys, sealStaffValue, subjectTag } from './staff-entry-store.ts';

type ProposalContent = Pick<Proposal, 'input' | 'reason' | 'proposer' | 'before' | 'decision'>;

const columns = 'id, at, expires_at, operation, status, service, citizen_id, content';

/**
 * Stores a new proposal. Refused (`unique`) when a proposal of the same service with the same operation and input waits, for the same
 * state (`comparedState`): after a change, people propose it again. The id of a citizen in its input goes to a column, so that an
 * erasure can replace it.
 */
export function insertProposal(keys: StaffKeys, proposal: Proposal, state: string): Statement[] {
  const { id, at, expiresAt, operation, status, service, proposer } = proposal;
  const tag = status === 'proposed' ? inputTag(keys, proposal, state) : null;
  return [
    {
      sql: 'update staff_proposal set input_tag = null where input_tag = $1 and expires_at <= $2',
      args: [tag, at],
    },
    {
      sql: `insert into staff_proposal
          (id, at, expires_at, operation, status, service, citizen_id, input_tag, content, proposer_tag)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      args: [
        ...[id, at, expiresAt, operation, status, service, citizenOf(proposal), tag, sealProposal(keys, proposal)],
        subjectTag(keys, proposer.subject),
      ],
    },
  ];
}

function inputTag({ root }: StaffKeys, { service, operation, input }: Proposal, state: string): string {
  // The input was parsed from JSON.
  const wanted = canonicalJson({ service, operation, input: input as Json, state });
  return hmacString(root.derive('staff-log'), `proposal\0${wanted}`, 'base64url');
}

/** Stores a decision; refused (`rows`) if the proposal was decided or expired meanwhile. */
export function decideProposal(keys: StaffKeys, decided: Proposal, now: number): Statement {
  return {
    sql: `update staff_proposal set status = $1, content = $2, input_tag = null
      where id = $3 and status = 'proposed' and expires_at > $4 returning id`,
    args: [decided.status, sealProposal(keys, decided), decided.id, now],
    rows: 1,
  };
}

/** A proposal by its id. */
export async function findProposal(
  { read, root }: { readonly read: Read } & Pick<StaffKeys, 'root'>,
  id: ProposalId,
): Promise<Proposal | undefined> {
  const [row] = await read(`select ${columns} from staff_proposal where id = $1`, [id]);
  return row === undefined ? undefined : proposalFromRow(root, row);
}

/** The proposals to list; undefined members do not filter. Times in epoch milliseconds. */
export type ProposalFilter = {
  readonly status?: (typeof proposalFilters)[number] | undefined;
  readonly operation?: string | undefined;
  readonly from: number;
  readonly now: number;
  /** The id of the last proposal of the previous page. */
  readonly cursor?: string | undefined;
  /** The person who reads the list, and `visibleServiceOf` that person. */
  readonly subject: string;
  readonly visibleService: string | null | undefined;
};

/** The proposals that a person may see, the newest first. */
export async function findProposals(
  { read, root }: { readonly read: Read } & Pick<StaffKeys, 'root'>,
  filter: ProposalFilter,
  limit: number,
): Promise<readonly Proposal[]> {
  const { status, operation, from, now, cursor, subject, visibleService } = filter;
  const sql = `select ${columns} from staff_proposal where id >= $1 and id < $2
      and (cast($3 as text) is null
        or $3 = case when status = 'proposed' and expires_at <= $4 then 'expired' else status end
        or ($3 = 'ended' and (status <> 'proposed' or expires_at <= $4)))
      and (cast($5 as text) is null or operation = $5)
      and (proposer_tag = $6 or cast($7 as text) = 'all' or service = $8)
    order by id desc limit $9`;
  const rows = await read(
    sql,
    [
      ...[minIdAt('proposal', from), cursor ?? minIdAt('proposal', endOfTime), status ?? null, now, operation ?? null],
      ...[subjectTag({ root }, subject), visibleService === null ? 'all' : 'some', visibleService ?? null, limit],
    ],
    { plan: 'custom' },
  );
  return rows.map((row) => proposalFromRow(root, row));
}

/** Replaces the id of an erased citizen. */
export function eraseProposalsOf({ citizenId, erasedId }: CitizenErasure): Statement {
  return {
    sql: 'update staff_proposal set citizen_id = $2, input_tag = null where citizen_id = $1',
    args: [citizenId, erasedId],
  };
}

function citizenOf({ input }: Pick<Proposal, 'input'>): string | null {
  const { citizenId } = input;
  return typeof citizenId === 'string' ? citizenId : null;
}

function sealProposal(keys: StaffKeys, { id, input, reason, proposer, before, decision }: Proposal): Uint8Array {
  const { citizenId: _citizenId, ...sealed } = input;
  const content: ProposalContent = { input: sealed, reason, proposer, before, decision };
  return sealStaffValue(keys, id, content);
}

function proposalFromRow(root: StaffKeys['root'], row: Row): Proposal {
  const id = idField(row, 'id', 'proposal');
  // `sealProposal` wrote it, and it was authenticated.
  const content = openStaffValue({ root }, id, bytesField(row, 'content')) as ProposalContent;
  const citizenId = textOrNull(row, 'citizen_id');
  return {
    ...content,
    id,
    input: citizenId === null ? content.input : { citizenId, ...content.input },
    at: integerField(row, 'at'),
    expiresAt: integerField(row, 'expires_at'),
    operation: textField(row, 'operation'),
    status: enumField(row, 'status', proposalStatuses),
    service: textOrNull(row, 'service'),
  };
}
