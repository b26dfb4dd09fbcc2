import { parseArgs } from 'node:util';
import { countDocuments, standingHolds } from '../documents/keeping-store.ts';
import { placeHold, releaseHold } from '../documents/legal-hold.ts';
import {
  allRetentionClasses,
  type RetentionClass,
  retentionClassName,
  setRetentionClass,
} from '../documents/retention-class.ts';
import { toInstant } from '../kernel/clock.ts';
import { parseId } from '../kernel/id.ts';
import { type Command, type ExitCode, type Terminal, UsageError } from './command.ts';
import type { DocumentsRoom, OpenDocumentsRoom } from './documents.ts';

/** What a person writes for the ledger is not longer. */
const longestText = 2_000;

/** `documents hold`, `documents holds`, `documents release`, `documents class`, `documents classes`. */
export function keepingCommands(openRoom: OpenDocumentsRoom, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'documents holds',
      usage: 'documents holds [--json]',
      summary: 'Lists the legal holds that stand.',
      run: async (args) => {
        const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean' } } });
        return await openRoom((room) => listHolds(room, values.json === true, terminal));
      },
    },
    {
      name: 'documents hold',
      usage: 'documents hold (DOCUMENT | --citizen ID) --reason TEXT',
      summary:
        'Places a legal hold on a document, or on everything of a citizen: nothing of it is erased. The citizen reads of it, with the reason, in the own access log.',
      run: async (args) => {
        const wanted = wantedHold(args);
        return await openRoom(async (room) => {
          const placed = await placeHold(room, { ...wanted, actor: { operator: room.operator } });
          if ('fault' in placed) return fail(terminal, placed.fault);
          terminal.stdout(`${placed.hold}\n`);
          const { citizenId } = wanted.on;
          if (citizenId !== undefined) terminal.stderr(reachOf(await countDocuments(room.read, citizenId)));
          return 0;
        });
      },
    },
    {
      name: 'documents release',
      usage: 'documents release HOLD',
      summary: 'Releases a legal hold.',
      run: async (args) => {
        const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
        const hold = parseId('hold', positionals[0] ?? '');
        if (hold === undefined || positionals.length > 1) throw new UsageError('name one hold by its id, as hld_…');
        return await openRoom(async (room) => {
          const { fault } = await releaseHold(room, hold, { operator: room.operator });
          return fault === undefined ? 0 : fail(terminal, fault);
        });
      },
    },
    {
      name: 'documents classes',
      usage: 'documents classes [--json]',
      summary: 'Lists the retention classes.',
      run: async (args) => {
        const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean' } } });
        return await openRoom((room) => listClasses(room, values.json === true, terminal));
      },
    },
    {
      name: 'documents class',
      usage: 'documents class NAME --keep-days N [--erase-after-days N] --basis TEXT',
      summary: 'Makes a retention class, or changes it for deposits from now on.',
      run: async (args) => {
        const wanted = wantedClass(args);
        return await openRoom((room) => setClass(room, wanted));
      },
    },
  ];
}

// A hold may be older than the first document.
function reachOf(documents: number): string {
  return documents === 0
    ? 'Nothing of this citizen lies here now. It holds what is deposited later.\n'
    : `It holds the documents of this citizen, now ${documents}, and what is deposited later.\n`;
}

function fail(terminal: Terminal, fault: string): ExitCode {
  terminal.stderr(`${fault}\n`);
  return 1;
}

function wantedHold(args: readonly string[]) {
  const options = { citizen: { type: 'string' }, reason: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const { citizen, reason = '' } = values;
  const [name, ...others] = positionals;
  if (reason.trim() === '' || reason.length > longestText) {
    const limit = `in ${longestText} characters at most`;
    throw new UsageError(`--reason says why, ${limit}, as the court order; the citizen reads it in the own access log`);
  }
  if (others.length > 0 || (name === undefined) === (citizen === undefined)) {
    throw new UsageError('name one document, or one citizen with --citizen');
  }
  const document = name === undefined ? undefined : parseId('document', name);
  if (name !== undefined && document === undefined) throw new UsageError('a document has an id as doc_…');
  return { reason, on: document === undefined ? { citizenId: citizen ?? '' } : { document } };
}

async function listHolds({ read }: DocumentsRoom, json: boolean, { stdout, stderr }: Terminal): Promise<ExitCode> {
  const holds = (await standingHolds(read)).map((hold) => ({ ...hold, placedAt: toInstant(hold.placedAt) }));
  if (json) stdout(`${JSON.stringify(holds)}\n`);
  else {
    for (const { id, placedAt, documentId } of holds)
      stdout(`${id}\t${placedAt}\t${documentId ?? 'a whole citizen'}\n`);
    stderr(`${holds.length} holds\n`);
  }
  return 0;
}

function wantedClass(args: readonly string[]): RetentionClass {
  const options = {
    'keep-days': { type: 'string' },
    'erase-after-days': { type: 'string' },
    basis: { type: 'string' },
  } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [name = '', ...others] = positionals;
  if (!new RegExp(retentionClassName).test(name) || others.length > 0) {
    throw new UsageError('name one class in small letters, digits and hyphens');
  }
  const legalBasis = values.basis?.trim() ?? '';
  if (legalBasis === '' || legalBasis.length > longestText) {
    throw new UsageError(`--basis names the rule that sets these times, in ${longestText} characters at most`);
  }
  const keepDays = daysOf(values['keep-days'], '--keep-days');
  const erase = values['erase-after-days'];
  const eraseAfterDays = erase === undefined ? null : daysOf(erase, '--erase-after-days');
  if (eraseAfterDays !== null && eraseAfterDays < keepDays) {
    throw new UsageError('--erase-after-days is not below --keep-days');
  }
  return { name, keepDays, eraseAfterDays, legalBasis };
}

function daysOf(text: string | undefined, name: string): number {
  if (!/^\d{1,5}$/.test(text ?? '') || Number(text) > 73_000) throw new UsageError(`${name} is a number of days`);
  return Number(text);
}

async function listClasses({ read }: DocumentsRoom, json: boolean, { stdout, stderr }: Terminal): Promise<ExitCode> {
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

async function setClass(room: DocumentsRoom, wanted: RetentionClass): Promise<ExitCode> {
  const now = room.clock.now();
  const { name, keepDays, eraseAfterDays, legalBasis } = wanted;
  const event = { type: 'retention-class.set', id: room.mint('event'), at: now } as const;
  const actor = { operator: room.operator };
  await room.commit({
    events: [{ ...event, actor, name, keepDays, legalBasis, eraseAfterDays: eraseAfterDays ?? undefined }],
    statements: [setRetentionClass(wanted, now)],
  });
  return 0;
}
