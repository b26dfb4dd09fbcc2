import type { Static, TObject } from 'typebox';
import type { StaffScope } from '../../auth/caller.ts';
import type { Read } from '../../db/database.ts';
import type { IdentityPorts } from '../../identity/verification/ports.ts';
import type { Clock, RandomBytes } from '../../kernel/clock.ts';
import type { IdGenerator } from '../../kernel/id.ts';
import type { Commit } from '../../ledger/commit.ts';
import type { Actor } from '../../ledger/ledger-event.ts';
import type { NotificationBatch } from '../../notifications/batches/batch.ts';
import type { BatchPreview } from '../../notifications/preview-batch.ts';

/** The functions of the app and of other slices with which proposals take effect. */
export type ProposableDeps = {
  readonly random: RandomBytes;
  /** Erases a citizen everywhere. False if nothing is known about the id. */
  readonly eraseCitizen: (
    citizenId: string,
    options: { readonly actor: Actor; readonly keepsRegisterRow: boolean; readonly commit: Commit },
  ) => Promise<boolean>;
  readonly notifyLockChange: NonNullable<IdentityPorts['lockChangeNotice']>;
  readonly previewBatch: (batch: NotificationBatch) => Promise<BatchPreview | undefined>;
};

/** The context of the check of a proposal. */
export type CheckContext = {
  readonly read: Read;
  readonly now: number;
  readonly ports: ProposableDeps;
  /** The client of the person who proposes or proposed it; null if they belong to none. */
  readonly service: string | null;
};

/** The context in which an approved proposal takes effect. */
export type ApplyContext = CheckContext & {
  readonly actor: Actor;
  readonly clock: Clock;
  readonly createId: IdGenerator;
  /** The `commit` that also ends the proposal and stores the entry of the staff log, with what the operation has changed. */
  readonly commitWith: (after: unknown) => Commit;
};

/** Why an operation is not possible now, for the person who proposes or approves it. `problem`: if a proposal is not refused with `conflict`. */
export type Fault = { readonly fault: string; readonly problem?: 'client-not-found' };

/** An operation that takes effect only if another person approves it. */
export type ProposableOperation<Input = never> = {
  readonly name: string;
  /** One of these rights is needed to propose it. */
  readonly proposers: readonly StaffScope[];
  readonly summary: string;
  /** Whether the change reaches citizens or clients of every service. Then only a person who works for all services can approve it. */
  readonly affectsAllServices?: true;
  readonly input: TObject;
  /** The present state, for the people who decide and for the staff log; or why the operation is not possible. */
  check(input: Input, context: CheckContext): Promise<{ readonly before: unknown } | Fault>;
  /** Members of `before` that may change until the decision. The people who decide see them; `applyProposal` does not compare them. */
  readonly estimates?: readonly string[];
  /** Makes the change, with one call of `commitWith(after)`. */
  apply(input: Input, context: ApplyContext): Promise<Fault | undefined>;
};

/** Any of them, for code that has checked an input against the schema. */
export type AnyProposable = ProposableOperation<Readonly<Record<string, unknown>>>;

/** Defines the operation of a file. */
export function defineProposable<S extends TObject>(
  definition: Omit<ProposableOperation<Static<S>>, 'input'> & { readonly input: S },
): AnyProposable {
  // The types of the input are dropped only here. It is checked against the schema before `check` and `apply` are called.
  return definition as unknown as AnyProposable;
}
