import { parseArgs } from 'node:util';
import { type AccessLogDeps, readAccessLog } from '../audit/access-log.ts';
import type { Commit } from '../ledger/commit.ts';
import { erasedListFileName } from '../ledger/erased-list.ts';
import type { Actor } from '../ledger/ledger-event.ts';
import { commitFromShell } from '../staff/commit-from-shell.ts';
import { type Command, type ExitCode, singleArgument, singlePositional, type Terminal, UsageError } from './command.ts';
import { eventHead, type LoggedContext, type WithContext } from './command-context.ts';
import { clearLineText, entriesProgress } from './progress.ts';

type CitizensContext = AccessLogDeps &
  Pick<LoggedContext, 'clock' | 'createId' | 'operator' | 'root' | 'random'> & {
    readonly commit: Commit;
    /** Erases a citizen everywhere. False if nothing is known about the id. */
    readonly erase: (citizenId: string, options: EraseOptions) => Promise<boolean>;
    /** Whether citizens are in another register, which this command does not change. */
    readonly hasOtherRegister: boolean;
  };

type EraseOptions = { readonly actor: Actor; readonly keepsRegisterRow: boolean; readonly commit: Commit };

/** The commands `citizens erase` and `ledger access-log`. */
export function citizenCommands(withContext: WithContext<CitizensContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'citizens erase',
      usage: 'citizens erase ID --yes [--keep-register-row]',
      summary: 'Erases a citizen permanently: destroys the key of their encrypted data, and removes their id.',
      options: [
        { form: '--yes', meaning: 'Confirms the erasure. Required.' },
        {
          form: '--keep-register-row',
          meaning: 'Keeps the row of the register, for example if a person only wants their messages to be erased.',
        },
      ],
      notes: eraseNotes,
      example: 'citizens erase c-1029 --yes',
      run: async (args) => {
        const { values, positionals } = parseArgs({
          args,
          options: { yes: { type: 'boolean' }, 'keep-register-row': { type: 'boolean' } },
          allowPositionals: true,
        });
        const citizenId = singlePositional(positionals, oneCitizen);
        if (values.yes !== true)
          throw new UsageError(
            '--yes: expected this option, because you cannot undo an erasure. Add --yes to erase the citizen.',
          );
        const keepsRegisterRow = values['keep-register-row'] === true;
        return await withContext((context) => erase(context, { citizenId, keepsRegisterRow }, terminal));
      },
    },
    {
      name: 'ledger access-log',
      usage: 'ledger access-log CITIZEN_ID',
      summary: 'Prints the access log of a citizen as JSON lines, with proofs.',
      notes: 'The ledger records this access.',
      example: 'ledger access-log c-1029',
      run: async (args) => {
        const citizenId = singleArgument(args, oneCitizen);
        return await withContext((context) => printAccessLog(context, citizenId, terminal));
      },
    },
  ];
}

const oneCitizen = 'the id of one citizen in the register';

const eraseNotes = `You cannot undo an erasure. It deletes the row of the register, the contact addresses, and the stored responses of requests about this person. Messages, documents, verifications and ledger entries stay as rows without content and without the id. A legal hold prevents the erasure. If new data about the same id are stored later, run the command again.

The erasure is added to the file ${erasedListFileName} in DATA_DIR, which contains only pseudonyms. If you restore a backup, the server erases the person again by this list. Copy the file to the place where you keep the copy of the root key.`;

async function erase(
  context: CitizensContext,
  { citizenId, keepsRegisterRow }: { readonly citizenId: string; readonly keepsRegisterRow: boolean },
  { stderr }: Terminal,
): Promise<ExitCode> {
  const after = { erased: true, keepsRegisterRow };
  const commit = commitFromShell(context, { operation: 'citizens erase', before: { erased: false }, after });
  const isErased = await context.erase(citizenId, { actor: { operator: context.operator }, keepsRegisterRow, commit });
  if (!isErased) {
    stderr('Nothing was erased: this installation has no data about this id. Compare the id with the register.\n');
    return 1;
  }
  stderr(
    `The citizen is erased, and the ledger records it. Old backups still contain the key: delete them when their retention ends. Copy the file ${erasedListFileName} from DATA_DIR to the place of your copy of the root key.\n`,
  );
  if (context.hasOtherRegister) stderr('REGISTER_URL is another register. Erase the person there too.\n');
  return 0;
}

const pageSize = 100;

async function printAccessLog(context: CitizensContext, citizenId: string, terminal: Terminal): Promise<ExitCode> {
  const { stdout, stderr } = terminal;
  const showProgress = entriesProgress(terminal);
  const head = eventHead(context);
  // The event is committed before any line is printed.
  await commitFromShell(context, { operation: 'ledger access-log' })({
    events: [{ type: 'access-log.read', ...head, citizenId, after: 0, shown: 0 }],
    statements: [],
  });
  const checkpoint = await context.log.publishedCheckpoint();
  let after = 0;
  for (;;) {
    const page = await readAccessLog(context, citizenId, { after, limit: pageSize, now: head.at, checkpoint });
    const { usages, totalUsages, chain, linkKey, earlierLinkKey } = page;
    if (after === 0) stdout(`${JSON.stringify({ totalUsages, chain, linkKey, earlierLinkKey })}\n`);
    for (const usage of usages) stdout(`${JSON.stringify(usage)}\n`);
    after = usages.at(-1)?.number ?? after;
    await terminal.drained?.();
    showProgress(after, totalUsages);
    if (page.returnedUsages < pageSize) break;
  }
  const doubt = after === 0 ? '. Nothing is recorded about this id. Compare it with the register.' : '';
  stderr(`${clearLineText(terminal)}${after} uses${doubt}\n`);
  return 0;
}
