import { constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createSyncedFolder } from '../db/sync-folder.ts';
import { parseId } from '../kernel/id.ts';
import type { LogView } from '../ledger/log-view.ts';
import { tilePath, tilesOfTree, tileWidth } from '../ledger/tlog/tile.ts';
import {
  type Command,
  CommandFailed,
  type ExitCode,
  requireCaller,
  singleArgument,
  singlePositional,
  type Terminal,
  wrongArgument,
} from './command.ts';
import type { WithContext } from './command-context.ts';
import { clearLineText, entriesProgress } from './progress.ts';

type LedgerContext = { readonly log: LogView };

/** `ledger export` and `ledger prove`. */
export function ledgerCommands(withContext: WithContext<LedgerContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'ledger export',
      usage: 'ledger export FOLDER',
      summary: 'Writes the whole signed ledger to files, for an auditor or a web server.',
      example: 'ledger export /srv/ledger',
      run: async (args) => {
        const folder = resolve(terminal.cwd, singleArgument(args, 'one folder'));
        return await withContext((context) => exportLog(context, folder, terminal));
      },
    },
    {
      name: 'ledger prove',
      usage: 'ledger prove EVENT [--sealed]',
      summary: 'Prints the receipt of one event, which verifies offline.',
      options: [
        {
          form: '--sealed',
          meaning: 'Omits the key of the content, so that readers of the receipt cannot decrypt it.',
        },
      ],
      notes: 'EVENT is the id of the event, such as evt_01…. The receipt has the format .tlog-proof.',
      example: 'ledger prove evt_01JD3Y9Z8Q6W2V5T4R7N0M1KXC > receipt.tlog-proof',
      run: async (args) => {
        const { values, positionals } = parseArgs({
          args,
          options: { sealed: { type: 'boolean' } },
          allowPositionals: true,
        });
        const oneEvent = 'the id of one event, such as evt_01…';
        const eventId = parseId('event', singlePositional(positionals, oneEvent));
        if (eventId === undefined) throw wrongArgument(oneEvent, positionals);
        return await withContext((context) => prove(context, eventId, { sealed: values.sealed === true, terminal }));
      },
    },
  ];
}

/** Without O_NONBLOCK, opening a pipe waits for its reader, and a running server would wait (test/attacks/named-files.test.ts). */
const flag = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK;

async function exportLog({ log }: LedgerContext, folder: string, terminal: Terminal): Promise<ExitCode> {
  const checkpoint = await log.publishedCheckpoint();
  if (checkpoint === undefined)
    throw new CommandFailed('Expected a signed checkpoint, but the ledger has none yet. Start the server once.');
  const showProgress = entriesProgress(terminal);
  let files = 1;
  for (const name of tilesOfTree(checkpoint.size)) {
    requireCaller(terminal);
    const bytes = await log.readTile(name);
    if (bytes === undefined)
      throw new CommandFailed(
        `Expected ${tilePath(name)}, but it is missing: the ledger is damaged. See docs/security/ledger.md#broken`,
      );
    const path = join(folder, tilePath(name));
    await createSyncedFolder(dirname(path));
    await writeFile(path, bytes, { flag });
    files += 1;
    if (name.level === 'entries') showProgress(name.index * tileWidth + name.width, checkpoint.size);
  }
  await createSyncedFolder(folder);
  // Written last: the entries that it covers must exist first.
  await writeFile(join(folder, 'checkpoint'), checkpoint.note, { flag });
  terminal.stderr(`${clearLineText(terminal)}${files} files with ${checkpoint.size} entries in ${folder}\n`);
  return 0;
}

async function prove(
  { log }: LedgerContext,
  eventId: Parameters<LogView['findEntry']>[0],
  { sealed, terminal }: { readonly sealed: boolean; readonly terminal: Terminal },
): Promise<ExitCode> {
  const entry = await log.findEntry(eventId);
  const checkpoint = entry === undefined ? undefined : await log.checkpointFor(entry.index);
  if (entry === undefined || checkpoint === undefined)
    throw new CommandFailed(
      'Expected the id of a signed event, but the ledger has no such event. For a new event, run the command again after a second.',
    );
  terminal.stdout(await log.proveEntry(entry, checkpoint, sealed ? undefined : await log.findContentKey(entry)));
  return 0;
}
