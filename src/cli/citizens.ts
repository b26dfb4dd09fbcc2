import { parseArgs } from 'node:util';
import { type AccessLogDeps, readAccessLog } from '../audit/access-log.ts';
import type { DocumentPorts } from '../documents/ports.ts';
import { removeSealedBlob } from '../documents/retention/erase-document.ts';
import { eraseCitizenStatements, erasedDocumentsOf } from '../documents/retention/retention-store.ts';
import { type ErasureDeps, eraseCitizen } from '../ledger/erase-citizen.ts';
import { deleteContactCodes } from '../notifications/contact/contact-code-store.ts';
import { deletePreferences } from '../notifications/contact/contact-preferences-store.ts';
import { type Command, type ExitCode, singleArgument, singlePositional, type Terminal, UsageError } from './command.ts';
import { eventHead, type WithContext } from './command-context.ts';
import { clearLineText, entriesProgress } from './progress.ts';

/** The dependencies of the commands for one citizen. */
export type CitizensContext = Omit<ErasureDeps, 'actor' | 'besides'> &
  AccessLogDeps & { readonly operator: string; readonly documents: Pick<DocumentPorts, 'blobs' | 'alarm'> };

/** The commands `citizens erase` and `ledger access-log`. */
export function citizenCommands(withContext: WithContext<CitizensContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'citizens erase',
      usage: 'citizens erase ID --yes',
      summary:
        'Destroys the key of a citizen: the encrypted data of this person can never be read again. This cannot be undone.',
      run: async (args) => {
        const { values, positionals } = parseArgs({
          args,
          options: { yes: { type: 'boolean' } },
          allowPositionals: true,
        });
        const citizenId = singlePositional(positionals, oneCitizen);
        if (values.yes !== true) throw new UsageError('this cannot be undone; say --yes');
        return await withContext((context) => erase(context, citizenId, terminal));
      },
    },
    {
      name: 'ledger access-log',
      usage: 'ledger access-log CITIZEN_ID',
      summary: 'Prints the access log of a citizen as JSON lines, with proofs. The ledger records this.',
      run: async (args) => {
        const citizenId = singleArgument(args, oneCitizen);
        return await withContext((context) => printAccessLog(context, citizenId, terminal));
      },
    },
  ];
}

const oneCitizen = 'name one citizen by the id of the register';

async function erase(context: CitizensContext, citizenId: string, { stderr }: Terminal): Promise<ExitCode> {
  const extraStatements: ErasureDeps['extraStatements'] = (id, ...when) => [
    ...eraseCitizenStatements(id, ...when),
    deleteContactCodes(id),
    deletePreferences(id),
  ];
  const parts = { ...context, actor: { operator: context.operator }, extraStatements };
  const erased = await eraseCitizen(parts, citizenId);
  // After a crash between the two steps, running the command again removes the rest.
  for (const id of await erasedDocumentsOf(context.read, citizenId)) await removeSealedBlob(context.documents, { id });
  stderr(
    erased
      ? 'The key is destroyed, and the ledger says so. Old backups still hold it: let them expire.\n'
      : 'There is no key of this citizen: unknown, or erased before.\n',
  );
  return erased ? 0 : 1;
}

const pageSize = 100;

async function printAccessLog(context: CitizensContext, citizenId: string, terminal: Terminal): Promise<ExitCode> {
  const { stdout, stderr } = terminal;
  const showProgress = entriesProgress(terminal);
  const head = eventHead(context);
  // The event is committed before any line is printed.
  await context.commit({
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
  const doubt = after === 0 ? ': nothing is on record under this id; is it that of the register?' : '';
  stderr(`${clearLineText(terminal)}${after} uses${doubt}\n`);
  return 0;
}
