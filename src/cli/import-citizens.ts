import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { countRegister, needsRecount } from '../identity/import/count-register.ts';
import {
  type ImportDeps,
  type ImportOptions,
  type ImportResult,
  importCitizens,
} from '../identity/import/import-citizens.ts';
import {
  type ColumnMapping,
  importFields,
  MappingFault,
  parseInlineMapping,
  parseMapping,
} from '../identity/import/import-fields.ts';
import type { ImportFormat } from '../identity/import/import-file.ts';
import type { ReasonCounts } from '../identity/import/import-progress.ts';
import type { RowCondition } from '../identity/import/import-row.ts';
import { maxDryRunIds } from '../identity/import/repeated-ids.ts';
import { readArgumentFile, requireOtherFile, resolveReadableFile } from './argument-file.ts';
import {
  type Command,
  type ExitCode,
  jsonOption,
  singlePositional,
  type Terminal,
  UsageError,
  wrongOption,
} from './command.ts';
import type { WithContext } from './command-context.ts';
import { createProgressView, formatCount } from './progress.ts';

type ImportContext = ImportDeps & { readonly operator: string };

const options: Command['options'] = [
  {
    form: '--map MAP',
    meaning: 'The column of each field: a JSON file, or name=column,name=column.',
    defaultValue: 'the columns with the names of the fields',
  },
  { form: '--format csv|jsonl', meaning: 'The format of the file.', defaultValue: 'by the file name' },
  {
    form: '--where COLUMN=TEXT',
    meaning: 'Imports only rows whose column contains the text; * matches any text. You can repeat the option.',
  },
  {
    form: '--errors FILE',
    meaning:
      'Writes the refused rows with their reasons to a CSV file. Correct it, and import it with the same mapping.',
  },
  { form: '--dry-run', meaning: 'Reads and checks every row, and stores nothing.' },
  { form: '--restart', meaning: 'Starts from the first row. Without it, an interrupted import continues.' },
  jsonOption,
];

const notes = `Updates existing citizens in the fields that the file has. For CSV, the delimiter (comma, semicolon or tab) and a byte order mark are detected.

Fields: ${importFields.join(', ')}.

A mapping file joins several columns with a space, and can state the format of a date. The default format of a date starts with the year:

  { "citizenId": "rec_id", "givenName": "given_name", "familyName": "surname",
    "birthDate": { "column": "date_of_birth", "format": "YYYYMMDD" },
    "streetAddress": ["street_number", "address_1"], "postalCode": "postcode",
    "locality": "suburb", "documentNumber": "soc_sec_id" }

On the command line, a mapping has this form:

  --map citizenId=rec_id,birthDate=born:YYYYMMDD,streetAddress=number+street`;

/** The command `citizens import`. */
export function importCommands(withContext: WithContext<ImportContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'citizens import',
      usage:
        'citizens import FILE [--map MAP] [--format csv|jsonl] [--where COLUMN=TEXT] [--errors FILE] [--dry-run] [--restart] [--json]',
      summary: 'Imports citizens from CSV or JSON lines into the register.',
      options,
      notes,
      example: 'citizens import people.csv --map mapping.json --errors refused.csv',
      run: async (args) => {
        const { order, json } = await parseImportFlags(args, terminal.cwd);
        return await withContext((context) => run(context, order, json, terminal));
      },
    },
  ];
}

/** From this number of rows on, the count at the end takes long enough for a message. */
const slowCountRows = 100_000;

async function run(
  context: ImportContext,
  order: ImportCommandOptions,
  json: boolean,
  terminal: Terminal,
): Promise<ExitCode> {
  const { clock, operator } = context;
  const view = createProgressView(terminal, clock);
  const startedAt = clock.now();
  let result: ImportResult;
  try {
    result = await importCitizens(context, { ...order, actor: { operator } }, (progress, file) =>
      view.show({
        bytesDone: progress.finished ? file.bytes : progress.nextOffset,
        bytesTotal: file.bytes,
        rows: progress.read,
        refused: progress.refused,
      }),
    );
  } finally {
    view.end();
  }
  if (!order.dryRun && (await needsRecount(context.read, result))) {
    if (result.progress.read >= slowCountRows)
      terminal.stderr('All rows are stored. Counting the names and places in the register …\n');
    await countRegister(context, { operator });
  }
  const seconds = (clock.now() - startedAt) / 1000;
  terminal.stderr(describeResult(result, order, seconds));
  if (json) terminal.stdout(`${JSON.stringify(toJson(result, order, seconds))}\n`);
  return 0;
}

type ImportCommandOptions = Omit<ImportOptions, 'actor'>;

async function parseImportFlags(
  args: readonly string[],
  cwd: string,
): Promise<{ readonly order: ImportCommandOptions; readonly json: boolean }> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      map: { type: 'string' },
      format: { type: 'string' },
      where: { type: 'string', multiple: true, default: [] },
      errors: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      restart: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const path = await resolveReadableFile(cwd, singlePositional(positionals, 'one file to import'));
  const order: ImportCommandOptions = {
    path,
    format: parseFormat(path, values.format),
    mapping: await readMapping('--map', values.map, cwd),
    conditions: values.where.map(parseCondition),
    errorsPath: values.errors === undefined ? undefined : resolve(cwd, values.errors),
    dryRun: values['dry-run'],
    restart: values.restart,
  };
  const mapPath = values.map === undefined ? [] : [resolve(cwd, values.map)];
  if (order.errorsPath !== undefined) requireOtherFile('--errors', order.errorsPath, [path, ...mapPath]);
  return { order, json: values.json };
}

function parseFormat(path: string, format: string | undefined): ImportFormat {
  if (format === undefined) return /\.(jsonl|ndjson|jsonlines)$/i.test(path) ? 'jsonl' : 'csv';
  if (format === 'csv' || format === 'jsonl') return format;
  throw wrongOption('--format', 'csv or jsonl', format);
}

/** The column mapping of a flag: a JSON file, or the form `name=column,name=column`. */
export async function readMapping(
  flag: string,
  map: string | undefined,
  cwd: string,
): Promise<ColumnMapping | undefined> {
  if (map === undefined) return undefined;
  try {
    if (map.includes('=') && !existsSync(resolve(cwd, map))) return parseInlineMapping(map);
    return parseMapping(JSON.parse(await readArgumentFile(cwd, map)));
  } catch (fault) {
    if (fault instanceof MappingFault || fault instanceof SyntaxError)
      throw new UsageError(`${flag}: ${fault.message}`);
    throw fault;
  }
}

function parseCondition(text: string): RowCondition {
  const split = text.indexOf('=');
  if (split < 1) throw wrongOption('--where', 'COLUMN=TEXT', text);
  return { column: text.slice(0, split).trim(), pattern: text.slice(split + 1).trim() };
}

function describeResult(result: ImportResult, { dryRun, errorsPath }: ImportCommandOptions, seconds: number): string {
  const { progress, began, readBefore } = result;
  if (began === 'already-finished') {
    return `This file is already imported (${progress.id}, ${formatCount(progress.stored)} rows). To import it again, add --restart.\n`;
  }
  const rows = progress.read - readBefore;
  const speed = seconds > 0 ? `, ${formatCount(Math.round(rows / seconds))} rows/s` : '';
  const lines = [
    ...(began === 'resumed' ? [`Continued after row ${formatCount(readBefore)}.`] : []),
    `${dryRun ? 'Checked without storing' : `Imported (${progress.id})`}: ${formatCount(progress.read)} rows read, ` +
      `${formatCount(progress.stored)} ${dryRun ? 'usable' : 'stored'}, ${formatCount(progress.refused)} refused` +
      `${progress.leftOut > 0 ? `, ${formatCount(progress.leftOut)} skipped by --where` : ''}; ${seconds.toFixed(1)} s${speed}.`,
    ...describeTally('refused', progress.reasons, progress),
    ...describeTally(dryRun ? 'usable' : 'stored', progress.remarks, progress),
    ...(dryRun && progress.read > maxDryRunIds
      ? [`A dry run looks for repeated ids only in the first ${formatCount(maxDryRunIds)} rows.`]
      : []),
  ];
  if (progress.refused > 0) {
    lines.push(
      errorsPath === undefined
        ? 'To write the refused rows to a file, add --errors FILE.'
        : `Refused rows: ${errorsPath}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Each reason with its count and its first rows. */
function describeTally(what: string, tally: ReasonCounts, { firstRows }: ImportResult['progress']): string[] {
  return Object.entries(tally).map(([reason, count]) => {
    const rows = firstRows[reason] ?? [];
    const more = count > rows.length ? ' and more' : '';
    return `  ${formatCount(count)} ${what}: ${reason} (${count === 1 ? 'row' : 'rows'} ${rows.join(', ')}${more})`;
  });
}

function toJson({ progress, began, mapping }: ImportResult, { dryRun }: ImportCommandOptions, seconds: number) {
  return {
    importId: dryRun ? null : progress.id,
    status: began === 'already-finished' ? 'already-finished' : dryRun ? 'checked' : 'finished',
    resumed: began === 'resumed',
    read: progress.read,
    stored: dryRun ? 0 : progress.stored,
    usable: progress.stored,
    refused: progress.refused,
    leftOut: progress.leftOut,
    reasons: progress.reasons,
    remarks: progress.remarks,
    firstRows: progress.firstRows,
    mapping,
    seconds,
  };
}
