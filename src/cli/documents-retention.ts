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
import { type HoldId, parseId } from '../kernel/id.ts';
import { singleLinePattern, singleLineRequirement } from '../kernel/single-line-text.ts';
import { commitFromShell } from '../staff/commit-from-shell.ts';
import {
  type Command,
  CommandFailed,
  type ExitCode,
  jsonOption,
  singleArgument,
  type Terminal,
  UsageError,
  wrongArgument,
  wrongOption,
} from './command.ts';
import { eventHead, type LoggedContext, type WithContext } from './command-context.ts';
import type { DocumentsContext } from './documents.ts';

type RetentionContext = DocumentsContext & Pick<LoggedContext, 'root' | 'random'>;

/** The maximum characters of a text for the ledger. */
const maxTextLength = 2_000;

const holdOptions: Command['options'] = [
  { form: '--citizen ID', meaning: 'Places the hold on all documents of this citizen, also on later deposits.' },
  {
    form: '--reason TEXT',
    meaning: `The reason, such as the court order. Required. At most ${maxTextLength} characters on one line.`,
  },
];

const classOptions: Command['options'] = [
  { form: '--keep-days N', meaning: 'Documents are kept at least this number of days after their issue. Required.' },
  {
    form: '--erase-after-days N',
    meaning: 'Documents are due for erasure this number of days after their issue. At least --keep-days.',
    defaultValue: 'never',
  },
  { form: '--basis TEXT', meaning: 'The rule that sets these periods. Required.' },
];

/** The commands for legal holds and retention classes. */
export function retentionCommands(withContext: WithContext<RetentionContext>, terminal: Terminal): readonly Command[] {
  return [...holdCommands(withContext, terminal), ...classCommands(withContext, terminal)];
}

function holdCommands(withContext: WithContext<RetentionContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'holds add',
      usage: 'holds add (DOCUMENT | --citizen ID) --reason TEXT',
      summary: 'Places a legal hold, which prevents erasure, on a document or on all documents of a citizen.',
      options: holdOptions,
      notes: 'It prints the id of the hold. The access log of the citizen shows the hold with its reason.',
      example: `holds add --citizen c-1029 --reason 'Court order 4 O 12/26'`,
      run: async (args) => {
        const retentionOptions = parseHoldFlags(args);
        return await withContext((context) => addHold(context, retentionOptions, terminal));
      },
    },
    {
      name: 'holds list',
      usage: 'holds list [--json]',
      summary: 'Lists the active legal holds.',
      options: [jsonOption],
      run: async (args) => {
        const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } });
        return await withContext((context) => listHolds(context, values.json === true, terminal));
      },
    },
    {
      name: 'holds release',
      usage: 'holds release HOLD',
      summary: 'Releases a legal hold.',
      notes: 'HOLD is the id that "holds add" and "holds list" print.',
      example: 'holds release hld_01JD3Y9Z8Q6W2V5T4R7N0M1KXC',
      run: async (args) => {
        const oneHold = 'the id of one hold, such as hld_01…';
        const hold = parseId('hold', singleArgument(args, oneHold));
        if (hold === undefined) throw wrongArgument(oneHold, args);
        return await withContext((context) => endHold(context, hold));
      },
    },
  ];
}

function classCommands(withContext: WithContext<RetentionContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'retention-classes add',
      usage: 'retention-classes add NAME --keep-days N [--erase-after-days N] --basis TEXT',
      summary: 'Adds a retention class, or changes an existing class for future deposits.',
      options: classOptions,
      notes:
        'NAME has lowercase letters, digits and hyphens. If the class exists, the new values apply only to documents that are deposited later.',
      example: `retention-classes add permit --keep-days 3650 --basis 'Building Act, section 12'`,
      run: async (args) => {
        const retentionOptions = parseRetentionClassFlags(args);
        return await withContext((context) => setClass(context, retentionOptions));
      },
    },
    {
      name: 'retention-classes list',
      usage: 'retention-classes list [--json]',
      summary: 'Lists the retention classes.',
      options: [jsonOption],
      run: async (args) => {
        const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } });
        return await withContext((context) => listClasses(context, values.json === true, terminal));
      },
    },
  ];
}

async function addHold(
  context: RetentionContext,
  wanted: ReturnType<typeof parseHoldFlags>,
  { stdout, stderr }: Terminal,
): Promise<ExitCode> {
  const { reason, on } = wanted;
  const commit = commitFromShell(context, { operation: 'holds add', reason, after: { held: true } });
  const placed = await placeHold({ ...context, commit }, { ...wanted, actor: { operator: context.operator } });
  if ('fault' in placed) throw new CommandFailed(placed.fault);
  stdout(`${placed.hold}\n`);
  if (on.citizenId !== undefined) stderr(holdScopeText(await countDocuments(context.read, on.citizenId)));
  return 0;
}

async function endHold(context: RetentionContext, hold: HoldId): Promise<ExitCode> {
  const after = { hold, released: true };
  const act = { operation: 'holds release', reference: hold, before: { hold, released: false }, after };
  const commit = commitFromShell(context, act);
  const { fault } = await releaseHold({ ...context, commit }, hold, { operator: context.operator });
  if (fault !== undefined) throw new CommandFailed(fault);
  return 0;
}

// A hold can be placed before the first document.
function holdScopeText(documents: number): string {
  return documents === 0
    ? 'The hold applies to all future documents of this citizen. There are none now.\n'
    : `The hold applies to all documents of this citizen (${documents} now) and to later deposits.\n`;
}

function parseHoldFlags(args: readonly string[]) {
  const options = { citizen: { type: 'string' }, reason: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const { citizen, reason = '' } = values;
  const [name, ...others] = positionals;
  if (reason.trim() === '' || reason.length > maxTextLength || !singleLinePattern.test(reason)) {
    throw new UsageError(
      `--reason: expected the reason, such as the court order, as ${singleLineRequirement} of at most ${maxTextLength} characters. The citizen reads it in the access log.`,
    );
  }
  if (others.length > 0 || (name === undefined) === (citizen === undefined)) {
    throw new UsageError(
      `Expected the id of one document, or one citizen with --citizen, received ${positionals.length + (citizen === undefined ? 0 : 1)} values.`,
    );
  }
  const document = name === undefined ? undefined : parseId('document', name);
  if (name !== undefined && document === undefined)
    throw wrongArgument('the id of a document, such as doc_01…', positionals);
  return { reason, on: document === undefined ? { citizenId: citizen ?? '' } : { document } };
}

async function listHolds({ read }: RetentionContext, json: boolean, { stdout, stderr }: Terminal): Promise<ExitCode> {
  const holds = (await activeHolds(read)).map((hold) => ({ ...hold, placedAt: formatInstant(hold.placedAt) }));
  if (json) stdout(`${JSON.stringify(holds)}\n`);
  else {
    for (const { id, placedAt, documentId } of holds)
      stdout(`${id}\t${placedAt}\t${documentId ?? 'all documents of a citizen'}\n`);
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
    throw wrongArgument('one class name of lowercase letters, digits and hyphens', positionals);
  }
  const legalBasis = values.basis?.trim() ?? '';
  if (legalBasis === '' || legalBasis.length > maxTextLength) {
    throw wrongOption(
      '--basis',
      `the rule that sets these periods, in at most ${maxTextLength} characters`,
      values.basis,
    );
  }
  const keepDays = parseDays(values['keep-days'], '--keep-days');
  const erase = values['erase-after-days'];
  const eraseAfterDays = erase === undefined ? null : parseDays(erase, '--erase-after-days');
  if (eraseAfterDays !== null && eraseAfterDays < keepDays) {
    throw wrongOption('--erase-after-days', `at least the ${keepDays} days of --keep-days`, erase);
  }
  return { name, keepDays, eraseAfterDays, legalBasis };
}

function parseDays(text: string | undefined, name: string): number {
  if (!/^\d{1,5}$/.test(text ?? '') || Number(text) > 73_000)
    throw wrongOption(name, 'a whole number of days, at most 73000', text);
  return Number(text);
}

async function listClasses({ read }: RetentionContext, json: boolean, { stdout, stderr }: Terminal): Promise<ExitCode> {
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

async function setClass(context: RetentionContext, retentionClass: RetentionClass): Promise<ExitCode> {
  const head = eventHead(context);
  const eraseAfterDays = retentionClass.eraseAfterDays ?? undefined;
  await commitFromShell(context, { operation: 'retention-classes add', after: { ...retentionClass } })({
    events: [{ type: 'retention-class.set', ...head, ...retentionClass, eraseAfterDays }],
    statements: [upsertRetentionClass(retentionClass, head.at)],
  });
  return 0;
}
