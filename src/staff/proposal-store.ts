import type { Read, Row, Statement } from '../db/database.ts';
import { bytesField, enumField, idField, integerField, textField, textOrNull } from '../db/row-fields.ts';
import { canonicalJson, type Json } from '../kernel/canonical-json.ts';
import { hmacString } from '../kernel/hashing.ts';
import { minIdAt, type ProposalId } from '../kernel/id.ts';
import type { CitizenErasure } from '../ledger/erase-citizen.ts';
import { type Proposal, proposalStatuses } from './proposal.ts';
import { openStaffValue, type StaffKeys, sealStaffValue } from './staff-entry-store.ts';

type ProposalContent = Pick<Proposal, 'input' | 'reason' | 'proposer' | 'before' | 'decision'>;

const columns = 'id, at, expires_at, operation, status, service, citizen_id, content';

/**
 * Stores a new proposal. Refused (`unique`) when a proposal of the same service with the same operation and input waits, for the same
 * state (`comparedState`): after a change, people propose it again. The id of a citizen in its input goes to a column, so that an
 * erasure can replace it.
 */
export function insertProposal(keys: StaffKeys, proposal: Proposal, state: string): Statement[] {
  const { id, at, expiresAt, operation, status, service } = proposal;
  const tag = status === 'proposed' ? inputTag(keys, proposal, state) : null;
  return [
    {
      sql: 'update staff_proposal set input_tag = null where input_tag = $1 and expires_at <= $2',
      args: [tag, at],
    },
    {
      sql: `insert into staff_proposal (id, at, expires_at, operation, status, service, citizen_id, input_tag, content)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      args: [id, at, expiresAt, operation, status, service, citizenOf(proposal), tag, sealProposal(keys, proposal)],
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

/** The proposals since `from` (epoch milliseconds) of one status or of all, the newest first. */
export async function findProposals(
  { read, root }: { readonly read: Read } & Pick<StaffKeys, 'root'>,
  { status = null, from, limit }: { readonly status?: string | null; readonly from: number; readonly limit: number },
): Promise<readonly Proposal[]> {
  const sql = `select ${columns} from staff_proposal where id >= $3 and (cast($1 as text) is null or status = $1) order by id desc limit $2`;
  return (await read(sql, [status, limit, minIdAt('proposal', from)], { plan: 'custom' })).map((row) =>
    proposalFromRow(root, row),
  );
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
