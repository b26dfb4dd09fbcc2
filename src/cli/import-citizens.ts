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
import { type Command, type ExitCode, singlePositional, type Terminal, UsageError } from './command.ts';
import type { WithContext } from './command-context.ts';
import { createProgressView, formatCount } from './progress.ts';

type ImportContext = ImportDeps & { readonly operator: string };

const details = `Updates existing citizens in the fields that the file has.

  --map MAP        Maps fields to columns: a JSON file, or name=column,name=column.
                   Without it columns are taken by their names. Fields: ${importFields.join(', ')}.
  --format FORMAT  csv or jsonl. Default: by file name. The delimiter (, ; tab) and a byte order mark are detected.
  --where C=TEXT   Only rows whose column C contains TEXT; * matches any text. Can be repeated.
  --errors FILE    Writes refused rows with their reasons to a CSV file: fix it, and import it with the same mapping.
  --dry-run        Reads and checks every row and stores nothing.
  --restart        Starts from the first row. Without it, an interrupted import continues.
  --json           Prints the result as JSON.

A mapping file joins columns with a blank and may give the form of a date; without one, dates begin with the year:
  { "citizenId": "rec_id", "givenName": "given_name", "familyName": "surname",
    "birthDate": { "column": "date_of_birth", "format": "YYYYMMDD" },
    "streetAddress": ["street_number", "address_1"], "postalCode": "postcode",
    "locality": "suburb", "documentNumber": "soc_sec_id" }
The same on the command line:
  --map 'citizenId=rec_id,givenName=given_name,familyName=surname,birthDate=date_of_birth:YYYYMMDD,streetAddress=street_number+address_1'`;

/** The command `import citizens`. */
export function importCommands(withContext: WithContext<ImportContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'import citizens',
      usage:
        'import citizens FILE [--map MAP] [--format csv|jsonl] [--where COLUMN=TEXT] [--errors FILE] [--dry-run] [--restart] [--json]',
      summary: 'Imports citizens from CSV or JSON lines into the register. An interrupted import continues.',
      details,
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
      terminal.stderr('All rows are stored; counting the names and places of the register …\n');
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
  const path = await resolveReadableFile(cwd, singlePositional(positionals, 'Name one file to import.'));
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
  throw new UsageError('--format is csv or jsonl.');
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
  if (split < 1) throw new UsageError('--where takes COLUMN=TEXT.');
  return { column: text.slice(0, split).trim(), pattern: text.slice(split + 1).trim() };
}

function describeResult(result: ImportResult, { dryRun, errorsPath }: ImportCommandOptions, seconds: number): string {
  const { progress, began, readBefore } = result;
  if (began === 'already-finished') {
    return `This file is already imported (${progress.id}, ${formatCount(progress.stored)} rows); --restart imports it again.\n`;
  }
  const rows = progress.read - readBefore;
  const speed = seconds > 0 ? `, ${formatCount(Math.round(rows / seconds))} rows/s` : '';
  const lines = [
    ...(began === 'resumed' ? [`Went on behind row ${formatCount(readBefore)}.`] : []),
    `${dryRun ? 'Checked, stored nothing' : `Imported (${progress.id})`}: ${formatCount(progress.read)} rows read, ` +
      `${formatCount(progress.stored)} ${dryRun ? 'usable' : 'stored'}, ${formatCount(progress.refused)} refused` +
      `${progress.leftOut > 0 ? `, ${formatCount(progress.leftOut)} left out` : ''}; ${seconds.toFixed(1)} s${speed}.`,
    ...describeTally('refused', progress.reasons, progress),
    ...describeTally(dryRun ? 'usable' : 'stored', progress.remarks, progress),
    ...(dryRun && progress.read > maxDryRunIds
      ? [`A dry run looks for repeated ids among its first ${formatCount(maxDryRunIds)} rows.`]
      : []),
  ];
  if (progress.refused > 0) {
    lines.push(errorsPath === undefined ? '--errors FILE writes the refused rows.' : `Refused rows: ${errorsPath}`);
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
