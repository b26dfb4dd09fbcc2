import type { Read, Row, Statement } from '../db/database.ts';
import { bytesField, enumField, idField, integerField, textField, textOrNull } from '../db/row-fields.ts';
import { type BatchId, minIdAt, type ProposalId, parseId } from '../kernel/id.ts';
import type { CitizenErasure } from '../ledger/erase-citizen.ts';
import { lockReadyBatch } from '../notifications/batches/batch-store.ts';
import { proposableBatchStart } from './proposable/start-batch.ts';
import { type Proposal, proposalStatuses } from './proposal.ts';
import { openStaffValue, type StaffKeys, sealStaffValue } from './staff-entry-store.ts';

type ProposalContent = Pick<Proposal, 'input' | 'reason' | 'proposer' | 'before' | 'decision'>;

const columns = 'id, at, expires_at, operation, status, service, citizen_id, content';

/**
 * Stores a new proposal. The id of a citizen in its input goes to a column, so that an erasure can replace it. Refused (`rows`) when an
 * open proposal would start the same batch, or the batch is not ready. The lock of its row makes concurrent proposals run one after the
 * other.
 */
export function insertProposal(keys: StaffKeys, proposal: Proposal): Statement[] {
  const { id, at, expiresAt, operation, status, service } = proposal;
  const batch = status === 'proposed' ? startedBatch(proposal) : undefined;
  const citizen = citizenOf(proposal);
  const content = sealProposal(keys, proposal);
  const insert = {
    // On SQLite a cast to `bytea` would make a number of the bytes.
    sql: insertProposalSql('$9'),
    postgresSql: insertProposalSql('cast($9 as bytea)'),
    args: [id, at, expiresAt, operation, status, service, citizen, batch ?? null, content],
    rows: 1,
  };
  return batch === undefined ? [insert] : [lockReadyBatch(batch), insert];
}

function insertProposalSql(content: string): string {
  return `insert into staff_proposal (id, at, expires_at, operation, status, service, citizen_id, batch_id, content)
    select cast($1 as text), cast($2 as bigint), cast($3 as bigint), cast($4 as text), cast($5 as text), cast($6 as text),
        cast($7 as text), cast($8 as text), ${content}
      where not exists (select 1 from staff_proposal where batch_id = $8 and status = 'proposed' and expires_at > $2)
    returning id`;
}

/** Stores a decision; refused (`rows`) if the proposal was decided or expired meanwhile. */
export function decideProposal(keys: StaffKeys, decided: Proposal, now: number): Statement {
  return {
    sql: `update staff_proposal set status = $1, content = $2
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
  return { sql: 'update staff_proposal set citizen_id = $2 where citizen_id = $1', args: [citizenId, erasedId] };
}

function citizenOf({ input }: Pick<Proposal, 'input'>): string | null {
  const { citizenId } = input;
  return typeof citizenId === 'string' ? citizenId : null;
}

function startedBatch({ operation, input }: Pick<Proposal, 'operation' | 'input'>): BatchId | undefined {
  const { batch } = input;
  return operation === proposableBatchStart.name && typeof batch === 'string' ? parseId('batch', batch) : undefined;
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
