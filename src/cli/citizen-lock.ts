import { parseArgs } from 'node:util';
import { type Read, WriteRefused } from '../db/database.ts';
import { findCitizenLock, replaceCitizenLock } from '../identity/register/citizen-lock-store.ts';
import type { IdentityPorts } from '../identity/verification/ports.ts';
import type { Clock } from '../kernel/clock.ts';
import type { IdGenerator } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';
import { type Command, type ExitCode, singlePositional, type Terminal, UsageError } from './command.ts';

/** The dependencies of the lock commands. `operator` is the actor in their ledger events. */
export type LockContext = {
  readonly commit: Commit;
  readonly read: Read;
  readonly clock: Clock;
  readonly createId: IdGenerator;
  readonly operator: string;
  readonly notifyLockChange: NonNullable<IdentityPorts['lockChangeNotice']>;
};

/** Opens the app for one command and closes it afterwards. */
export type WithLockContext = <T>(use: (context: LockContext) => Promise<T>) => Promise<T>;

const oneCitizen = 'name one citizen by the id of the register';
/** The maximum code points of a reason, which a message contains. */
const maxReasonLength = 200;

/** The commands `citizens lock` and `citizens unlock`. */
export function lockCommands(withContext: WithLockContext, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'citizens lock',
      usage: 'citizens lock ID',
      summary:
        'Locks the record of a citizen at their request: verifications no longer match, and the access log of the citizen shows the lock.',
      run: async (args) => {
        const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
        const citizenId = singlePositional(positionals, oneCitizen);
        return await withContext((context) => setLock(context, citizenId, true, terminal));
      },
    },
    {
      name: 'citizens unlock',
      usage: 'citizens unlock ID [--own --reason TEXT]',
      summary:
        'Unlocks the record. With --own, removes the lock that the citizen set, and sends the citizen a message with the reason.',
      run: async (args) => {
        const { values, positionals } = parseArgs({
          args: [...args],
          options: { own: { type: 'boolean' }, reason: { type: 'string' } },
          allowPositionals: true,
        });
        const citizenId = singlePositional(positionals, oneCitizen);
        const reason = readReason(values.own === true, values.reason);
        return await withContext((context) =>
          reason === undefined
            ? setLock(context, citizenId, false, terminal)
            : liftCitizenLock(context, citizenId, reason, terminal),
        );
      },
    },
  ];
}

function readReason(own: boolean, text: string | undefined): string | undefined {
  if (!own && text === undefined) return undefined;
  const reason = text?.trim() ?? '';
  if (!own || reason === '' || [...reason].length > maxReasonLength)
    throw new UsageError(
      `--own and --reason go together; the reason, of at most ${maxReasonLength} characters, is told to the citizen`,
    );
  return reason;
}

const unknownCitizen = 'The register has no such citizen.\n';

async function setLock(
  context: LockContext,
  citizenId: string,
  locked: boolean,
  { stderr }: Terminal,
): Promise<ExitCode> {
  const { commit, clock, createId, operator, read } = context;
  try {
    await commit({
      events: [
        {
          type: 'identity.lock-changed',
          id: createId('event'),
          at: clock.now(),
          actor: { operator },
          citizenId,
          locked,
        },
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
    stderr(unknownCitizen);
    return 1;
  }
  stderr(locked ? 'Locked. An import with a column locked may change that.\n' : 'Not locked any more.\n');
  if (!locked && (await findCitizenLock(read, citizenId))?.locked === true)
    stderr('The lock that the citizen set remains. To remove it: citizens unlock ID --own --reason TEXT\n');
  return 0;
}

async function liftCitizenLock(
  context: LockContext,
  citizenId: string,
  reason: string,
  { stderr }: Terminal,
): Promise<ExitCode> {
  const { commit, clock, createId, operator, read } = context;
  const before = await findCitizenLock(read, citizenId);
  if (before?.locked !== true) {
    stderr(before === undefined ? unknownCitizen : 'The citizen has set no lock.\n');
    return 1;
  }
  const now = clock.now();
  const notification = await context.notifyLockChange({ citizenId, locked: false, reason }, { now, createId });
  const lifted = {
    type: 'own-lock.lifted',
    id: createId('event'),
    at: now,
    actor: { operator },
    citizenId,
    reason,
  } as const;
  try {
    await commit({
      events: [lifted, ...notification.events],
      statements: [replaceCitizenLock(citizenId, before, { ...before, locked: false }), ...notification.statements],
    });
  } catch (fault) {
    if (!(fault instanceof WriteRefused) || fault.kind !== 'rows') throw fault;
    stderr('The citizen changed the lock at the same time. Run the command again.\n');
    return 1;
  }
  stderr('The lock of the citizen is lifted, and a message says so with the reason.\n');
  return 0;
}
