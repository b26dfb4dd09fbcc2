import { storeBackupRecord } from '../db/backup-record-store.ts';
import type { WriteWithoutEvent } from '../jobs/write-without-event.ts';
import { type Clock, formatInstant, instantRequirement, parseInstant } from '../kernel/clock.ts';
import { type Command, type ExitCode, singleArgument, type Terminal, UsageError } from './command.ts';
import type { WithContext } from './command-context.ts';

type RecordContext = { readonly claim: WriteWithoutEvent; readonly clock: Clock };

/** `backup record`, which stores in the database that a backup is complete. */
export function backupRecordCommands(
  withContext: WithContext<RecordContext>,
  { stderr }: Terminal,
): readonly Command[] {
  return [
    {
      name: 'backup record',
      usage: 'backup record BEGUN',
      summary: 'Records that a backup is complete, for the age that the staff pages show.',
      notes:
        'BEGUN is the time at which the backup began. Run the command after you have verified the backup, also for backups with the tools of PostgreSQL. The server cannot check them.',
      example: 'backup record 2026-11-23T03:00:00Z',
      run: async (args) => {
        const begunAt = parseInstant(singleArgument(args, 'the time at which the backup began'));
        if (begunAt === undefined) throw new UsageError(`BEGUN ${instantRequirement}.`);
        return await withContext<ExitCode>(async ({ claim, clock }) => {
          if (begunAt > clock.now())
            throw new UsageError('BEGUN: expected a time in the past, received a later one. Check the time zone.');
          await claim(storeBackupRecord(begunAt));
          stderr(`The backup of ${formatInstant(begunAt)} is recorded.\n`);
          return 0;
        });
      },
    },
  ];
}
