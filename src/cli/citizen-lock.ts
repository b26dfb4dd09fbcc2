import type { Clock } from '../kernel/clock.ts';
import type { Mint } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';
import { WriteRefused } from '../store/db.ts';
import { type Command, type ExitCode, onlyArgument, type Terminal } from './command.ts';

/** What locking a record needs; `operator` is who runs it, as the ledger will say. */
export type LockRoom = {
  readonly commit: Commit;
  readonly clock: Clock;
  readonly mint: Mint;
  readonly operator: string;
};

export type OpenLockRoom = <T>(use: (room: LockRoom) => Promise<T>) => Promise<T>;

/** `citizens lock`, `citizens unlock`. */
export function lockCommands(openRoom: OpenLockRoom, terminal: Terminal): readonly Command[] {
  const command = (name: 'lock' | 'unlock', summary: string): Command => ({
    name: `citizens ${name}`,
    usage: `citizens ${name} ID`,
    summary,
    run: async (args) => {
      const citizenId = onlyArgument(args, 'name one citizen by the id of the register');
      return await openRoom((room) => setLock(room, citizenId, name === 'lock', terminal));
    },
  });
  return [
    command(
      'lock',
      'Claims about a citizen, who wishes it so, fit nothing from now on; the citizen reads that it was done.',
    ),
    command('unlock', 'Takes that back.'),
  ];
}

async function setLock(
  { commit, clock, mint, operator }: LockRoom,
  citizenId: string,
  locked: boolean,
  { stderr }: Terminal,
): Promise<ExitCode> {
  try {
    await commit({
      events: [
        { type: 'identity.lock-changed', id: mint('event'), at: clock.now(), actor: { operator }, citizenId, locked },
      ],
      statements: [
        {
          sql: 'update citizen set locked = $2 where citizen_id = $1 returning citizen_id',
          args: [citizenId, locked],
          rows: 1,
        },
      ],
    });
  } catch (fault) {
    if (!(fault instanceof WriteRefused) || fault.kind !== 'rows') throw fault;
    stderr('The register has no such citizen.\n');
    return 1;
  }
  stderr(locked ? 'Locked. An import with a column locked may change that.\n' : 'Not locked any more.\n');
  return 0;
}
