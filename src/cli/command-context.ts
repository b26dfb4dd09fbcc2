import type { RootKey } from '../crypto/root-key.ts';
import { type Read, WriteRefused } from '../db/database.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import type { IdGenerator } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';

/** The dependencies of commands that store something. `operator` is the actor in their ledger events. */
export type CommandContext = {
  readonly read: Read;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly createId: IdGenerator;
  readonly operator: string;
};

/** The dependencies of commands that change or show data of a citizen or a client. `root` encrypts their entries of the staff log. */
export type LoggedContext = CommandContext & { readonly root: Pick<RootKey, 'derive'> };

/** Opens the app for one command and closes it afterwards. */
export type WithContext<Context> = <T>(use: (context: Context) => Promise<T>) => Promise<T>;

/** The id, the time and the actor of an event of a command. */
export function eventHead({ createId, clock, operator }: Pick<CommandContext, 'createId' | 'clock' | 'operator'>) {
  return { id: createId('event'), at: clock.now(), actor: { operator } };
}

/** Commits an effect. Returns false and stores nothing if a row that it must change is missing or was changed meanwhile. */
export async function commitIfUnchanged(commit: Commit, effect: Parameters<Commit>[0]): Promise<boolean> {
  try {
    await commit(effect);
    return true;
  } catch (fault) {
    if (fault instanceof WriteRefused && fault.kind === 'rows') return false;
    throw fault;
  }
}
