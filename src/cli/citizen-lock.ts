import { parseArgs } from 'node:util';
import { liftCitizenLock } from '../identity/lift-citizen-lock.ts';
import { findCitizenLock } from '../identity/register/citizen-lock-store.ts';
import type { IdentityPorts } from '../identity/verification/ports.ts';
import { singleLinePattern, singleLineRequirement } from '../kernel/single-line-text.ts';
import { commitFromShell } from '../staff/commit-from-shell.ts';
import {
  type Command,
  CommandFailed,
  type ExitCode,
  singleArgument,
  singlePositional,
  type Terminal,
  UsageError,
} from './command.ts';
import { commitIfUnchanged, eventHead, type LoggedContext, type WithContext } from './command-context.ts';

/** The dependencies of the lock commands. */
export type LockContext = LoggedContext & {
  readonly notifyLockChange: NonNullable<IdentityPorts['lockChangeNotice']>;
};

const oneCitizen = 'the id of one citizen in the register';
/** The maximum code points of a reason, which a message contains. */
const maxReasonLength = 200;

/** The commands `citizens lock` and `citizens unlock`. */
export function lockCommands(withContext: WithContext<LockContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'citizens lock',
      usage: 'citizens lock ID',
      summary: 'Locks the record of a citizen at their request: verifications no longer match it.',
      notes: 'The access log of the citizen shows the lock.',
      example: 'citizens lock c-1029',
      run: async (args) => {
        const citizenId = singleArgument(args, oneCitizen);
        return await withContext((context) => setLock(context, citizenId, true, terminal));
      },
    },
    {
      name: 'citizens unlock',
      usage: 'citizens unlock ID [--own --reason TEXT]',
      summary: 'Removes the lock that "citizens lock" set on the record of a citizen.',
      options: [
        { form: '--own', meaning: 'Also removes the lock that the citizen set, and sends the citizen a message.' },
        {
          form: '--reason TEXT',
          meaning: `The reason, which the message contains. Required with --own. At most ${maxReasonLength} characters on one line.`,
        },
      ],
      example: `citizens unlock c-1029 --own --reason 'The citizen asked for it by letter.'`,
      run: async (args) => {
        const { values, positionals } = parseArgs({
          args,
          options: { own: { type: 'boolean' }, reason: { type: 'string' } },
          allowPositionals: true,
        });
        const citizenId = singlePositional(positionals, oneCitizen);
        const reason = readReason(values.own === true, values.reason);
        return await withContext((context) =>
          reason === undefined
            ? setLock(context, citizenId, false, terminal)
            : liftLock(context, citizenId, reason, terminal),
        );
      },
    },
  ];
}

function readReason(own: boolean, text: string | undefined): string | undefined {
  if (!own && text === undefined) return undefined;
  const reason = text?.trim() ?? '';
  if (!own || !singleLinePattern.test(reason) || [...reason].length > maxReasonLength)
    throw new UsageError(
      `--own and --reason: expected both, with ${singleLineRequirement} of at most ${maxReasonLength} characters as the reason. The citizen reads it.`,
    );
  return reason;
}

const unknownCitizen = 'The register has no citizen with this id. Check the id.';

async function setLock(
  context: LockContext,
  citizenId: string,
  locked: boolean,
  { stderr }: Terminal,
): Promise<ExitCode> {
  const sql = 'update citizen set locked = $2 where citizen_id = $1 returning citizen_id';
  const [row] = await context.read('select locked from citizen where citizen_id = $1', [citizenId]);
  const commit = commitFromShell(context, {
    operation: locked ? 'citizens lock' : 'citizens unlock',
    before: { locked: row?.['locked'] === true },
    after: { locked },
  });
  const changed = await commitIfUnchanged(commit, {
    events: [{ type: 'identity.lock-changed', ...eventHead(context), citizenId, locked }],
    statements: [{ sql, args: [citizenId, locked], rows: 1 }],
  });
  if (!changed) throw new CommandFailed(unknownCitizen);
  stderr(
    locked
      ? 'The record is locked. An import with the column "locked" can change this.\n'
      : 'The record is no longer locked by the staff.\n',
  );
  if (!locked && (await findCitizenLock(context.read, citizenId))?.locked === true)
    stderr(
      'The lock that the citizen set remains. To remove it, run "citizen-services citizens unlock ID --own --reason TEXT".\n',
    );
  return 0;
}

async function liftLock(
  context: LockContext,
  citizenId: string,
  reason: string,
  { stderr }: Terminal,
): Promise<ExitCode> {
  const actor = { operator: context.operator };
  const commit = commitFromShell(context, {
    operation: 'citizens unlock',
    reason,
    before: { citizenLock: true },
    after: { citizenLock: false },
  });
  const outcome = await liftCitizenLock({ ...context, commit, actor }, { citizenId, reason });
  switch (outcome) {
    case 'unknown-citizen':
      throw new CommandFailed(unknownCitizen);
    case 'not-locked':
      throw new CommandFailed('Expected a lock that the citizen set, found none. Nothing was changed.');
    case 'changed':
      throw new CommandFailed('The citizen changed the lock at the same time. Run the command again.');
    case 'lifted':
      stderr('The lock of the citizen is removed. A message with the reason is sent to the citizen.\n');
      return 0;
  }
}
