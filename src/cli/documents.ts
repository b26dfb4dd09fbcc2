import { parseArgs } from 'node:util';
import type { DocumentPorts } from '../documents/ports.ts';
import { type DeletionPage, type RetentionDeps, runDeletion } from '../documents/retention/run-deletion.ts';
import { queueRescans } from '../documents/scan/scan-store.ts';
import { type DocumentFinding, rowDeadlineMs, verifyDocuments } from '../documents/verify-documents.ts';
import type { WriteWithoutEvent } from '../jobs/write-without-event.ts';
import { type Command, type ExitCode, jsonOption, requireCaller, type Terminal } from './command.ts';
import type { WithContext } from './command-context.ts';
import { clearLineText, formatCount } from './progress.ts';

/** The dependencies of the document commands. */
export type DocumentsContext = RetentionDeps & {
  readonly claim: WriteWithoutEvent;
  readonly operator: string;
  readonly ports: Pick<DocumentPorts, 'citizenExists'>;
};

/** The commands `documents verify`, `documents delete-due` and `documents rescan`. */
export function documentCommands(withContext: WithContext<DocumentsContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'documents verify',
      usage: 'documents verify [--quick] [--json]',
      summary: 'Reads all documents and their records, and reports damage and files without a record.',
      notes: 'It changes nothing.',
      options: [{ form: '--quick', meaning: 'Reads only the end of each document.' }, jsonOption],
      run: async (args) => {
        const flags = { quick: { type: 'boolean' }, json: { type: 'boolean' } } as const;
        const { values } = parseArgs({ args, options: flags });
        return await withContext((context) => verify(context, values, terminal));
      },
    },
    {
      name: 'documents delete-due',
      usage: 'documents delete-due [--preview] [--json]',
      summary: 'Erases documents that are withdrawn, or whose time in their retention class has ended.',
      options: [{ form: '--preview', meaning: 'Only lists the documents, and erases nothing.' }, jsonOption],
      run: async (args) => {
        const flags = { preview: { type: 'boolean' }, json: { type: 'boolean' } } as const;
        const { values } = parseArgs({ args, options: flags });
        return await withContext((context) => deleteDue(context, values, terminal));
      },
    },
    {
      name: 'documents rescan',
      usage: 'documents rescan [--quarantined]',
      summary: 'Queues all released documents for another scan.',
      options: [{ form: '--quarantined', meaning: 'Also queues the documents in quarantine.' }],
      run: async (args) => {
        const { values } = parseArgs({ args, options: { quarantined: { type: 'boolean' } } });
        return await withContext((context) => rescan(context, values.quarantined === true, terminal));
      },
    },
  ];
}

type Flags = { readonly quick?: boolean; readonly preview?: boolean; readonly json?: boolean };

async function verify(context: DocumentsContext, { quick, json }: Flags, terminal: Terminal): Promise<ExitCode> {
  const list: DocumentFinding[] = [];
  const done = await verifyDocuments({
    ...context,
    readBytes: quick !== true,
    before: context.clock.now() - rowDeadlineMs,
    onFinding: (finding) => {
      if (json === true) list.push(finding);
      else terminal.stdout(`${finding.id}\t${finding.fault}\t${finding.detail}\n`);
    },
    beforeEach: async () => {
      await terminal.drained?.();
      requireCaller(terminal);
    },
    onProgress: (documents, bytes) => {
      if (terminal.isInteractive) terminal.stderr(`\r${documents} documents, ${bytes} bytes`);
    },
  });
  if (json === true) terminal.stdout(`${JSON.stringify({ ...done, list })}\n`);
  const what = done.findings === 0 ? 'no damage' : `${done.findings} findings. Nothing was changed`;
  terminal.stderr(`${terminal.isInteractive ? '\r' : ''}${done.documents} documents, ${done.bytes} bytes: ${what}\n`);
  return done.findings === 0 ? 0 : 1;
}

async function deleteDue(context: DocumentsContext, { preview, json }: Flags, terminal: Terminal): Promise<ExitCode> {
  const verb = preview === true ? 'would be erased' : 'erased';
  let documents = 0;
  const listed: DeletionPage[] = [];
  const onPage = async (page: DeletionPage) => {
    if (json === true) listed.push(page);
    else {
      // Ends the progress line of the previous page.
      if (documents > 0) terminal.stderr(clearLineText(terminal));
      terminal.stdout(linesOf(page, verb));
      await terminal.drained?.();
    }
    documents += page.erased.length + page.held.length + page.passed.length;
    if (terminal.isInteractive) terminal.stderr(`\r${formatCount(documents)} documents`);
  };
  const { fault, ...run } = await runDeletion(
    { ...context, onPage, isStopping: () => terminal.hasLeft?.() === true },
    { operator: context.operator },
    preview === true,
  );
  if (json === true) {
    const all = (end: keyof DeletionPage) => listed.flatMap((page) => page[end]);
    terminal.stdout(`${JSON.stringify({ erased: all('erased'), held: all('held'), passed: all('passed') })}\n`);
  }
  terminal.stderr(`${clearLineText(terminal)}${run.erased} ${verb}, ${run.held} under a legal hold\n`);
  if (fault !== undefined) throw fault;
  return 0;
}

function linesOf({ erased, held, passed }: DeletionPage, verb: string): string {
  const list = (ids: readonly string[], outcome: string) => ids.map((id) => `${id}\t${outcome}\n`).join('');
  return list(erased, verb) + list(held, 'held') + list(passed, 'not erased');
}

async function rescan(context: DocumentsContext, quarantined: boolean, terminal: Terminal): Promise<ExitCode> {
  const now = context.clock.now();
  const request = { now, before: now, engine: undefined, quarantined, limit: 1_000 };
  let queued = 0;
  for (;;) {
    requireCaller(terminal);
    const rows = await context.claim(queueRescans(request));
    queued += rows.length;
    if (rows.length < request.limit) break;
  }
  terminal.stderr(`${queued} documents are queued for the scanner.\n`);
  return 0;
}
