import { parseArgs } from 'node:util';
import type { StoredDocument } from '../documents/document.ts';
import { type DocumentWithGrants, findDocument } from '../documents/document-store.ts';
import { formatInstant } from '../kernel/clock.ts';
import { type DocumentId, parseId } from '../kernel/id.ts';
import { commitFromShell } from '../staff/commit-from-shell.ts';
import {
  type Command,
  CommandFailed,
  type ExitCode,
  jsonOption,
  singlePositional,
  type Terminal,
  wrongArgument,
} from './command.ts';
import { eventHead, type LoggedContext, type WithContext } from './command-context.ts';

const oneDocument = 'the id of one document, such as doc_01…';

/** The command `documents show`. */
export function documentShowCommands(withContext: WithContext<LoggedContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'documents show',
      usage: 'documents show ID [--json]',
      summary: 'Shows the state of a document: its scan, retention, legal hold and grants.',
      options: [jsonOption],
      notes:
        'It does not show the title or the content. The access log of the citizen shows that an operator read the state.',
      example: 'documents show doc_01JD3Y9Z8Q6W2V5T4R7N0M1KXC',
      run: async (args) => {
        const options = { json: { type: 'boolean' } } as const;
        const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
        const id = parseId('document', singlePositional(positionals, oneDocument));
        if (id === undefined) throw wrongArgument(oneDocument, positionals);
        return await withContext((context) => showDocument(context, id, values.json === true, terminal));
      },
    },
  ];
}

/** The use of the citizen's data is recorded before it is shown. */
async function showDocument(
  context: LoggedContext,
  id: DocumentId,
  json: boolean,
  { stdout }: Terminal,
): Promise<ExitCode> {
  const found = await findDocument(context.read, id);
  if (found === undefined)
    throw new CommandFailed(`Expected the id of a stored document, but there is no document ${id}. Check the id.`);
  const { citizenId } = found.document;
  await commitFromShell(context, { operation: 'documents show', reference: id })({
    events: [{ type: 'document.record-read', ...eventHead(context), citizenId, document: id }],
    statements: [],
  });
  const members = reportDocument(found);
  if (json) stdout(`${JSON.stringify(members)}\n`);
  else {
    const { grants, ...others } = members;
    for (const [name, value] of Object.entries(others)) stdout(`${name}\t${value}\n`);
    for (const grant of grants) stdout(`grant\t${Object.values(grant).join('\t')}\n`);
  }
  return 0;
}

function reportDocument({ document, grants }: DocumentWithGrants) {
  const { id, issuer, createdAt, retainUntil, retentionClass, eraseAt, held, scan } = document;
  return {
    id,
    status: document.status,
    client: issuer,
    depositedAt: formatInstant(createdAt),
    ...endOf(document),
    ...(scan === null ? {} : { scan: scan.verdict, scannedAt: formatInstant(scan.at) }),
    ...(scan?.engine == null ? {} : { scanner: scan.engine }),
    ...(scan?.finding == null ? {} : { finding: scan.finding }),
    legalHold: held,
    ...(retentionClass === null ? {} : { retentionClass }),
    ...(retainUntil === null ? {} : { retainUntil: formatInstant(retainUntil) }),
    ...(eraseAt === null ? {} : { eraseAt: formatInstant(eraseAt) }),
    grants: grants.map(({ clientId, purpose, grantedAt, endsAt }) => ({
      client: clientId,
      purpose,
      grantedAt: formatInstant(grantedAt),
      ...(endsAt === null ? {} : { endsAt: formatInstant(endsAt) }),
    })),
  };
}

/** When the document ceased to be available. */
function endOf(document: StoredDocument): { readonly withdrawnAt?: string; readonly erasedAt?: string } {
  switch (document.status) {
    case 'withdrawn':
      return { withdrawnAt: formatInstant(document.withdrawnAt) };
    case 'erased':
      return { erasedAt: formatInstant(document.erasedAt) };
    case 'scanning':
    case 'available':
    case 'quarantined':
      return {};
  }
}
