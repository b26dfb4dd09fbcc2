import { parseArgs } from 'node:util';
import { placeHold, releaseHold } from '../documents/retention/legal-hold.ts';
import {
  allRetentionClasses,
  type RetentionClass,
  retentionClassNamePattern,
  upsertRetentionClass,
} from '../documents/retention/retention-class.ts';
import { activeHolds, countDocuments } from '../documents/retention/retention-store.ts';
import { formatInstant } from '../kernel/clock.ts';
import { parseId } from '../kernel/id.ts';
import { singleLinePattern, singleLineRequirement } from '../kernel/single-line-text.ts';
import { type Command, CommandFailed, type ExitCode, singleArgument, type Terminal, UsageError } from './command.ts';
import { eventHead, type WithContext } from './command-context.ts';
import type { DocumentsContext } from './documents.ts';

/** The maximum characters of a text for the ledger. */
const maxTextLength = 2_000;

/** The commands for legal holds and retention classes. */
export function retentionCommands(withContext: WithContext<DocumentsContext>, terminal: Terminal): readonly Command[] {
  return [...holdCommands(withContext, terminal), ...classCommands(withContext, terminal)];
}

function holdCommands(withContext: WithContext<DocumentsContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'documents holds',
      usage: 'documents holds [--json]',
      summary: 'Lists the active legal holds.',
      run: async (args) => {
        const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } });
        return await withContext((context) => listHolds(context, values.json === true, terminal));
      },
    },
    {
      name: 'documents hold',
      usage: 'documents hold (DOCUMENT | --citizen ID) --reason TEXT',
      summary:
        'Places a legal hold on a document, or on all documents of a citizen, which prevents erasure. The access log of the citizen shows it with the reason.',
      run: async (args) => {
        const retentionOptions = parseHoldFlags(args);
        return await withContext<ExitCode>(async (context) => {
          const placed = await placeHold(context, { ...retentionOptions, actor: { operator: context.operator } });
          if ('fault' in placed) throw new CommandFailed(placed.fault);
          terminal.stdout(`${placed.hold}\n`);
          const { citizenId } = retentionOptions.on;
          if (citizenId !== undefined) terminal.stderr(holdScopeText(await countDocuments(context.read, citizenId)));
          return 0;
        });
      },
    },
    {
      name: 'documents release',
      usage: 'documents release HOLD',
      summary: 'Releases a legal hold.',
      run: async (args) => {
        const oneHold = 'name one hold by its id, as hld_…';
        const hold = parseId('hold', singleArgument(args, oneHold));
        if (hold === undefined) throw new UsageError(oneHold);
        return await withContext<ExitCode>(async (context) => {
          const { fault } = await releaseHold(context, hold, { operator: context.operator });
          if (fault !== undefined) throw new CommandFailed(fault);
          return 0;
        });
      },
    },
  ];
}

function classCommands(withContext: WithContext<DocumentsContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'documents classes',
      usage: 'documents classes [--json]',
      summary: 'Lists the retention classes.',
      run: async (args) => {
        const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } });
        return await withContext((context) => listClasses(context, values.json === true, terminal));
      },
    },
    {
      name: 'documents class',
      usage: 'documents class NAME --keep-days N [--erase-after-days N] --basis TEXT',
      summary: 'Creates a retention class, or changes it for future deposits.',
      run: async (args) => {
        const retentionOptions = parseRetentionClassFlags(args);
        return await withContext((context) => setClass(context, retentionOptions));
      },
    },
  ];
}

// A hold can be placed before the first document.
function holdScopeText(documents: number): string {
  return documents === 0
    ? 'There is no document of this citizen now. The hold covers later deposits.\n'
    : `It holds the documents of this citizen, now ${documents}, and what is deposited later.\n`;
}

function parseHoldFlags(args: readonly string[]) {
  const options = { citizen: { type: 'string' }, reason: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const { citizen, reason = '' } = values;
  const [name, ...others] = positionals;
  if (reason.trim() === '' || reason.length > maxTextLength || !singleLinePattern.test(reason)) {
    throw new UsageError(
      `--reason says why, such as the court order: ${singleLineRequirement}, of at most ${maxTextLength} characters. The citizen reads it in the access log`,
    );
  }
  if (others.length > 0 || (name === undefined) === (citizen === undefined)) {
    throw new UsageError('name one document, or one citizen with --citizen');
  }
  const document = name === undefined ? undefined : parseId('document', name);
  if (name !== undefined && document === undefined) throw new UsageError('a document has an id as doc_…');
  return { reason, on: document === undefined ? { citizenId: citizen ?? '' } : { document } };
}

async function listHolds({ read }: DocumentsContext, json: boolean, { stdout, stderr }: Terminal): Promise<ExitCode> {
  const holds = (await activeHolds(read)).map((hold) => ({ ...hold, placedAt: formatInstant(hold.placedAt) }));
  if (json) stdout(`${JSON.stringify(holds)}\n`);
  else {
    for (const { id, placedAt, documentId } of holds)
      stdout(`${id}\t${placedAt}\t${documentId ?? 'a whole citizen'}\n`);
    stderr(`${holds.length} holds\n`);
  }
  return 0;
}

function parseRetentionClassFlags(args: readonly string[]): RetentionClass {
  const options = {
    'keep-days': { type: 'string' },
    'erase-after-days': { type: 'string' },
    basis: { type: 'string' },
  } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [name = '', ...others] = positionals;
  if (!new RegExp(retentionClassNamePattern).test(name) || others.length > 0) {
    throw new UsageError('name one class in small letters, digits and hyphens');
  }
  const legalBasis = values.basis?.trim() ?? '';
  if (legalBasis === '' || legalBasis.length > maxTextLength) {
    throw new UsageError(`--basis names the rule that sets these times, in ${maxTextLength} characters at most`);
  }
  const keepDays = parseDays(values['keep-days'], '--keep-days');
  const erase = values['erase-after-days'];
  const eraseAfterDays = erase === undefined ? null : parseDays(erase, '--erase-after-days');
  if (eraseAfterDays !== null && eraseAfterDays < keepDays) {
    throw new UsageError('--erase-after-days is not below --keep-days');
  }
  return { name, keepDays, eraseAfterDays, legalBasis };
}

function parseDays(text: string | undefined, name: string): number {
  if (!/^\d{1,5}$/.test(text ?? '') || Number(text) > 73_000) throw new UsageError(`${name} is a number of days`);
  return Number(text);
}

async function listClasses({ read }: DocumentsContext, json: boolean, { stdout, stderr }: Terminal): Promise<ExitCode> {
  const classes = await allRetentionClasses(read);
  if (json) stdout(`${JSON.stringify(classes)}\n`);
  else {
    for (const { name, keepDays, eraseAfterDays, legalBasis } of classes) {
      stdout(`${[name, keepDays, eraseAfterDays ?? 'never', legalBasis].join('\t')}\n`);
    }
    stderr(`${classes.length} classes\n`);
  }
  return 0;
}

async function setClass(context: DocumentsContext, retentionClass: RetentionClass): Promise<ExitCode> {
  const head = eventHead(context);
  const eraseAfterDays = retentionClass.eraseAfterDays ?? undefined;
  await context.commit({
    events: [{ type: 'retention-class.set', ...head, ...retentionClass, eraseAfterDays }],
    statements: [upsertRetentionClass(retentionClass, head.at)],
  });
  return 0;
}
