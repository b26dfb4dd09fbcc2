import type { Read } from '../db/database.ts';
import { readClockState, storeClockState } from '../jobs/clock-check.ts';
import type { WriteWithoutEvent } from '../jobs/write-without-event.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Command, type ExitCode, requireNoArguments, type Terminal } from './command.ts';
import type { WithContext } from './command-context.ts';

type ClockContext = { readonly read: Read; readonly claim: WriteWithoutEvent; readonly clock: Clock };

/** `clock confirm`, which ends a pause of deletion; see `createClockCheck`. */
export function clockCommands(withContext: WithContext<ClockContext>, { stderr }: Terminal): readonly Command[] {
  return [
    {
      name: 'clock confirm',
      usage: 'clock confirm',
      summary:
        'Confirms that the clock is correct after a jump of more than a day, so that deletion of old data resumes.',
      run: async (args) => {
        requireNoArguments(args);
        return await withContext(async ({ read, claim, clock }): Promise<ExitCode> => {
          const wasPaused = (await readClockState(read))?.jump !== undefined;
          const now = clock.now();
          await claim(storeClockState({ seenAt: now, jump: undefined }));
          const time = new Date(now).toISOString();
          stderr(
            wasPaused
              ? `The clock is confirmed at ${time}. Deletion resumes.\n`
              : `Nothing to confirm: deletion was not paused at ${time}.\n`,
          );
          return 0;
        });
      },
    },
  ];
}
