import { parseArgs } from 'node:util';
import { removeSealed } from '../documents/erase-document.ts';
import { citizenErasure, erasedDocumentsOf } from '../documents/keeping-store.ts';
import type { DocumentPorts } from '../documents/ports.ts';
import { type ErasureParts, eraseCitizen } from '../ledger/erase-citizen.ts';
import { forgetCodes } from '../notifications/contact/contact-code-store.ts';
import { forgetWishes } from '../notifications/contact/contact-wish-store.ts';
import { type AccessLogParts, readAccessLog } from '../oversight/access-log.ts';
import { type Command, type ExitCode, onlyArgument, onlyOf, type Terminal, UsageError } from './command.ts';
import { clearLine, entriesProgress } from './progress.ts';

/** What the commands about single citizens need; `operator` is who runs them, as the ledger will say. */
export type CitizensRoom = Omit<ErasureParts, 'actor' | 'besides'> &
  AccessLogParts & { readonly operator: string; readonly documents: Pick<DocumentPorts, 'blobs' | 'alarm'> };

export type OpenCitizensRoom = <T>(use: (room: CitizensRoom) => Promise<T>) => Promise<T>;

/** `citizens erase` and `ledger access-log`. */
export function citizenCommands(openRoom: OpenCitizensRoom, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'citizens erase',
      usage: 'citizens erase ID --yes',
      summary: 'Destroys the key of a citizen: nothing that was sealed for that person can be read again. Not undone.',
      run: async (args) => {
        const { values, positionals } = parseArgs({
          args: [...args],
          options: { yes: { type: 'boolean' } },
          allowPositionals: true,
        });
        const citizenId = onlyOf(positionals, oneCitizen);
        if (values.yes !== true) throw new UsageError('this cannot be undone; say --yes');
        return await openRoom((room) => erase(room, citizenId, terminal));
      },
    },
    {
      name: 'ledger access-log',
      usage: 'ledger access-log CITIZEN_ID',
      summary:
        'Prints the access log of a citizen as JSON lines, with proofs, to be handed out; that is itself on record.',
      run: async (args) => {
        const citizenId = onlyArgument(args, oneCitizen);
        return await openRoom((room) => printAccessLog(room, citizenId, terminal));
      },
    },
  ];
}

const oneCitizen = 'name one citizen by the id of the register';

async function erase(room: CitizensRoom, citizenId: string, { stderr }: Terminal): Promise<ExitCode> {
  const besides: ErasureParts['besides'] = (id, ...when) => [
    ...citizenErasure(id, ...when),
    forgetCodes(id),
    forgetWishes(id),
  ];
  const parts = { ...room, actor: { operator: room.operator }, besides };
  const erased = await eraseCitizen(parts, citizenId);
  // Also after a crash between the two: whoever runs it again removes the rest.
  for (const id of await erasedDocumentsOf(room.read, citizenId)) await removeSealed(room.documents, { id });
  stderr(
    erased
      ? 'The key is destroyed, and the ledger says so. Old backups still hold it: let them expire.\n'
      : 'There is no key of this citizen: unknown, or erased before.\n',
  );
  return erased ? 0 : 1;
}

const pageUsages = 100;

async function printAccessLog(room: CitizensRoom, citizenId: string, terminal: Terminal): Promise<ExitCode> {
  const { stdout, stderr } = terminal;
  const told = entriesProgress(terminal);
  const now = room.clock.now();
  const event = { type: 'access-log.read', id: room.mint('event'), at: now } as const;
  const actor = { operator: room.operator };
  // On record before a line of it leaves.
  await room.commit({ events: [{ ...event, actor, citizenId, after: 0, shown: 0 }], statements: [] });
  const checkpoint = await room.log.published();
  let after = 0;
  for (;;) {
    const part = await readAccessLog(room, citizenId, { after, limit: pageUsages, now, checkpoint });
    const { usages, totalUsages, chain, linkKey, earlierLinkKey } = part;
    if (after === 0) stdout(`${JSON.stringify({ totalUsages, chain, linkKey, earlierLinkKey })}\n`);
    for (const usage of usages) stdout(`${JSON.stringify(usage)}\n`);
    after = usages.at(-1)?.number ?? after;
    await terminal.taken?.();
    told(after, totalUsages);
    if (part.returnedUsages < pageUsages) break;
  }
  const doubt = after === 0 ? ': nothing is on record under this id; is it that of the register?' : '';
  stderr(`${clearLine(terminal)}${after} uses${doubt}\n`);
  return 0;
}
