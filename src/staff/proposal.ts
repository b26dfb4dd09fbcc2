import { Type } from 'typebox';
import type { Caller, StaffMember } from '../auth/caller.ts';
import { formatInstant } from '../kernel/clock.ts';
import type { ProposalId } from '../kernel/id.ts';
import { singleLineSchemaPattern } from '../kernel/single-line-text.ts';
import { instantSchema, literalUnion } from '../notifications/notification/notification-shape.ts';
import { hasOneOf } from './staff-member.ts';

/** The stored states of a proposal. A proposal without a decision is `expired` after its time. */
export const proposalStatuses = ['proposed', 'approved', 'refused'] as const;
type ProposalStatus = (typeof proposalStatuses)[number];

type Person = Pick<StaffMember, 'subject' | 'name'>;

/** A proposal of one person, which another person decides (times in epoch milliseconds). */
export type Proposal = {
  readonly id: ProposalId;
  readonly at: number;
  readonly expiresAt: number;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly reason: string;
  readonly proposer: Person;
  readonly service: string | null;
  /** The state when it was proposed. */
  readonly before: unknown;
  readonly status: ProposalStatus;
  readonly decision?: (Person & { readonly at: number; readonly reason?: string | undefined }) | undefined;
};

/** The reason of an act of staff, in one line. */
export const actReasonSchema = (description: string) =>
  Type.String({ minLength: 1, maxLength: 500, pattern: singleLineSchemaPattern, description });

/** The reason of a proposal or of a decision. */
export const proposalReasonSchema = actReasonSchema('Why, for the people who decide and for the staff log.');

/** The states by which the list can be filtered. `ended`: all but `proposed`. */
export const proposalFilters = ['proposed', 'approved', 'refused', 'expired', 'ended'] as const;

/** The path parameters of the operations on one proposal. */
export const proposalParams = Type.Object(
  { id: Type.String({ maxLength: 64, description: 'The id of the proposal.' }) },
  { additionalProperties: false },
);

const personShape = { subject: Type.String(), name: Type.String({ description: 'The display name.' }) };

/** A proposal on the wire. */
export const proposalShape = Type.Object(
  {
    id: Type.String(),
    operation: Type.String({ description: 'The proposed operation, such as eraseCitizen.' }),
    input: Type.Record(Type.String(), Type.Unknown(), { description: 'The input of the operation.' }),
    reason: Type.String({ description: 'Why it was proposed.' }),
    status: literalUnion(
      ['proposed', 'approved', 'refused', 'expired'],
      'proposed: another person can decide it. approved: the operation took effect. expired: nobody decided it in time.',
    ),
    proposedAt: instantSchema('When it was proposed.'),
    expiresAt: instantSchema('Until then it can be decided.'),
    proposedBy: Type.Object(personShape, { description: 'The person who proposed it.' }),
    service: Type.Union([Type.String(), Type.Null()], { description: 'The client of that person; null: none.' }),
    before: Type.Unknown({ description: 'The state when it was proposed.' }),
    decision: Type.Optional(
      Type.Object(
        { ...personShape, at: instantSchema('When it was decided.'), reason: Type.Optional(Type.String()) },
        { description: 'The person who decided it. Absent until then.' },
      ),
    ),
  },
  { $id: 'StaffProposal' },
);

/** The JSON of `proposalShape`. */
export function proposalView({ at, expiresAt, proposer, decision, status, ...proposal }: Proposal, now: number) {
  return {
    ...proposal,
    status: status === 'proposed' && expiresAt <= now ? ('expired' as const) : status,
    proposedAt: formatInstant(at),
    expiresAt: formatInstant(expiresAt),
    proposedBy: proposer,
    ...(decision === undefined ? {} : { decision: { ...decision, at: formatInstant(decision.at) } }),
  };
}

/** Whether the proposal still waits for a decision, and its time is not over. */
export function isOpen({ status, expiresAt }: Pick<Proposal, 'status' | 'expiresAt'>, now: number): boolean {
  return status === 'proposed' && expiresAt > now;
}

/**
 * The service whose proposals a person may decide or audit. null: those of all services. undefined: none. Everybody sees their own
 * proposals too.
 */
export function visibleServiceOf(caller: Pick<Caller, 'scopes'>, { service }: StaffMember): string | null | undefined {
  return hasOneOf(caller, ['staff:approve', 'staff:operate', 'staff:audit']) ? service : undefined;
}

/** Whether a person may see a proposal; `findProposals` has the same rule in SQL. */
export function maySeeProposal(caller: Pick<Caller, 'scopes'>, member: StaffMember, { proposer, service }: Proposal) {
  const visible = visibleServiceOf(caller, member);
  return proposer.subject === member.subject || visible === null || (visible !== undefined && visible === service);
}
