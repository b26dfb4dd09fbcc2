import type { Read } from '../db/database.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import type { IdGenerator } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';

/** The dependencies of the client commands. `operator` is the actor in their ledger events. */
export type ClientsContext = {
  readonly read: Read;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly createId: IdGenerator;
  readonly operator: string;
};

/** Opens the app for one command and closes it afterwards. */
export type WithClientsContext = <T>(use: (context: ClientsContext) => Promise<T>) => Promise<T>;
