import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseId } from '../kernel/id.ts';
import type { LogView } from '../ledger/log-view.ts';
import { tilePath, tilesOf, tileWidth } from '../ledger/tile.ts';
import { makeFolder } from '../store/sync-folder.ts';
import {
  type Command,
  demandCaller,
  type ExitCode,
  onlyArgument,
  onlyOf,
  type Terminal,
  UsageError,
} from './command.ts';
import { clearLine, entriesProgress } from './progress.ts';

/** What the commands about the ledger need. */
export type LedgerRoom = {
  readonly log: LogView;
};

export type OpenLedgerRoom = <T>(use: (room: LedgerRoom) => Promise<T>) => Promise<T>;

/** `ledger export` and `ledger prove`. */
export function ledgerCommands(openRoom: OpenLedgerRoom, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'ledger export',
      usage: 'ledger export FOLDER',
      summary: 'Writes the whole signed log as files, for an auditor or a web server.',
      run: async (args) => {
        const folder = resolve(terminal.cwd, onlyArgument(args, 'name one folder'));
        return await openRoom((room) => exportLog(room, folder, terminal));
      },
    },
    {
      name: 'ledger prove',
      usage: 'ledger prove EVENT [--sealed]',
      summary: 'Prints the receipt of one event, evt_…, as a .tlog-proof; --sealed leaves out the key of its content.',
      run: async (args) => {
        const { values, positionals } = parseArgs({
          args: [...args],
          options: { sealed: { type: 'boolean' } },
          allowPositionals: true,
        });
        const eventId = parseId('event', onlyOf(positionals, 'name one event by its id'));
        if (eventId === undefined) throw new UsageError('an event has an id as evt_01…');
        return await openRoom((room) => prove(room, eventId, { sealed: values.sealed === true, terminal }));
      },
    },
  ];
}

async function exportLog({ log }: LedgerRoom, folder: string, terminal: Terminal): Promise<ExitCode> {
  const checkpoint = await log.published();
  if (checkpoint === undefined) return failed(terminal, 'The log has no signed checkpoint yet.');
  const told = entriesProgress(terminal);
  let files = 1;
  for (const name of tilesOf(checkpoint.size)) {
    demandCaller(terminal);
    const bytes = await log.tile(name);
    if (bytes === undefined) return failed(terminal, `${tilePath(name)} is missing: the log is damaged.`);
    const path = join(folder, tilePath(name));
    await makeFolder(dirname(path));
    await writeFile(path, bytes);
    files += 1;
    if (name.level === 'entries') told(name.index * tileWidth + name.width, checkpoint.size);
  }
  await makeFolder(folder);
  // Last, so that what it promises is there.
  await writeFile(join(folder, 'checkpoint'), checkpoint.note);
  terminal.stderr(`${clearLine(terminal)}${files} files with ${checkpoint.size} entries in ${folder}\n`);
  return 0;
}

async function prove(
  { log }: LedgerRoom,
  eventId: Parameters<LogView['entryOf']>[0],
  { sealed, terminal }: { readonly sealed: boolean; readonly terminal: Terminal },
): Promise<ExitCode> {
  const entry = await log.entryOf(eventId);
  const checkpoint = entry === undefined ? undefined : await log.checkpointFor(entry.index);
  if (entry === undefined || checkpoint === undefined) {
    return failed(
      terminal,
      'No such event has a number in the signed log; one that was just recorded gets it within a second.',
    );
  }
  terminal.stdout(await log.prove(entry, checkpoint, sealed ? undefined : await log.contentKey(entry)));
  return 0;
}

function failed(terminal: Terminal, why: string): ExitCode {
  terminal.stderr(`${why}\n`);
  return 1;
}
