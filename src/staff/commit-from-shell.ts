import type { Clock } from '../kernel/clock.ts';
import type { IdGenerator } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';
import { commitWithEntry } from './commit-with-entry.ts';
import { insertStaffEntry, type StaffEntry, type StaffKeys } from './staff-entry-store.ts';

/** A command that changes or shows data of a citizen or a client. `operation` is the name of the command, such as `holds release`. */
type ShellAct = Pick<StaffEntry, 'operation' | 'reason' | 'reference' | 'before' | 'after'>;

type ShellDeps = StaffKeys & {
  readonly commit: Commit;
  readonly clock: Clock;
  readonly createId: IdGenerator;
  /** The user of the operating system. */
  readonly operator: string;
};

/**
 * The `commit` of a command of the shell: it stores an entry of the staff log in the same unit as the effect. The entry names the user of
 * the operating system as `shell:NAME`. No token of staff can have such a subject (src/auth/staff-token.ts).
 */
export function commitFromShell(deps: ShellDeps, act: ShellAct): Commit {
  const { commit, clock, createId, operator } = deps;
  const member = { subject: `shell:${operator}`, name: operator, service: null };
  return commitWithEntry(commit, {
    events: [],
    statementsFor: (events) =>
      insertStaffEntry(deps, { ...act, id: createId('staffEntry'), at: clock.now(), member, events }),
  });
}
