import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, openAsBlob } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Batch, BatchProgress, BatchType } from './batches.ts';
import type { Client } from './client.ts';

/** The options of the batch commands, as the command line gives them. */
export type BatchFlags = {
  readonly name?: string | undefined;
  readonly template?: string | undefined;
  readonly category?: string | undefined;
  readonly 'send-at'?: string | undefined;
  readonly 'all-or-none'?: boolean | undefined;
  readonly 'dry-run'?: boolean | undefined;
  readonly manual?: boolean | undefined;
  readonly key?: string | undefined;
  readonly state?: string | undefined;
  readonly out?: string | undefined;
};

/** Where a command writes its results, and its progress. */
export type CommandOutput = {
  readonly print: (text: string) => void;
  readonly progress: (text: string) => void;
};

/** The commands on batches by name. Each takes one file or id; `list` takes none. True if everything was sent. */
export const batchCommands: Readonly<
  Record<string, (client: Client, subject: string, flags: BatchFlags, output: CommandOutput) => Promise<boolean>>
> = { send: sendFile, list, show, results: saveResults, start, cancel };

/**
 * Sends a file, shows the progress, and writes the results beside the file. The key is the digest of the file and the options: the same
 * command continues after an interruption, and sends nothing twice.
 */
async function sendFile(client: Client, file: string, flags: BatchFlags, output: CommandOutput): Promise<boolean> {
  const type: BatchType = /\.(jsonl|ndjson)$/i.test(file) ? 'application/jsonl' : 'text/csv';
  const query = queryOf(flags);
  const idempotencyKey = flags.key ?? (await digestOf(file, query));
  output.progress(`Uploading ${file} …`);
  const created = await client.sendBatch(await openAsBlob(file), type, query, { idempotencyKey });
  const ended = await client.waitForBatch(created.id, { onProgress: (batch) => showProgress(batch, output) });
  output.print(describe(ended));
  if (ended.rows !== null) {
    const path = flags.out ?? `${file}.results.csv`;
    await writeResults(client, ended.id, { path, state: undefined, start: await byteOrderMarkOf(file) });
    output.print(`The results are in ${path}.`);
  }
  return ended.refused === 0 && ended.state !== 'refused' && ended.state !== 'cancelled';
}

/** The byte order mark of a file: with it, Excel reads the results in the same encoding as the file. */
async function byteOrderMarkOf(file: string): Promise<string> {
  const start = Buffer.from(await (await openAsBlob(file)).slice(0, 3).arrayBuffer());
  return start.toString('utf8') === '\uFEFF' ? '\uFEFF' : '';
}

function queryOf(flags: BatchFlags): NonNullable<Parameters<Client['sendBatch']>[2]> {
  const { name, template: templateId, category, 'send-at': sendAt } = flags;
  return {
    ...(name === undefined ? {} : { name }),
    ...(templateId === undefined ? {} : { templateId }),
    // The server refuses other categories, and names the allowed ones.
    ...(category === undefined ? {} : { category: category as 'information' }),
    ...(sendAt === undefined ? {} : { sendAt }),
    ...(flags['all-or-none'] === true ? { rows: 'all-or-none' as const } : {}),
    ...(flags['dry-run'] === true ? { dryRun: true } : {}),
    ...(flags.manual === true ? { start: 'manual' as const } : {}),
  };
}

async function digestOf(file: string, query: object): Promise<string> {
  const hash = createHash('sha256').update(`${JSON.stringify(query)}\n`);
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return `file-${hash.digest('base64url')}`;
}

const barWidth = 30;

function showProgress({ state, rows, checked, accepted, refused }: BatchProgress, { progress }: CommandOutput): void {
  const done = state === 'checking' ? checked : accepted + refused;
  const total = Math.max(rows ?? 0, 1);
  const filled = Math.min(barWidth, Math.round((done / total) * barWidth));
  progress(`${state.padEnd(9)} [${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ${done} of ${rows ?? '?'} rows`);
}

async function list(client: Client, _subject: string, _flags: BatchFlags, { print }: CommandOutput): Promise<boolean> {
  for await (const batch of client.batches()) print(describe(batch));
  return true;
}

async function show(client: Client, id: string, _flags: BatchFlags, { print }: CommandOutput): Promise<boolean> {
  const batch = await client.batch(id);
  print(describe(batch));
  for (const [status, count] of Object.entries(batch.notifications)) print(`  ${status}: ${count}`);
  return true;
}

async function saveResults(client: Client, id: string, flags: BatchFlags, { print }: CommandOutput): Promise<boolean> {
  const path = flags.out ?? `${id}.results.csv`;
  await writeResults(client, id, { path, state: flags.state, start: '' });
  print(`The results are in ${path}.`);
  return true;
}

async function start(client: Client, id: string, _flags: BatchFlags, { print }: CommandOutput): Promise<boolean> {
  print(describe(await client.startBatch(id)));
  return true;
}

async function cancel(client: Client, id: string, _flags: BatchFlags, { print }: CommandOutput): Promise<boolean> {
  print(describe(await client.cancelBatch(id)));
  return true;
}

/** `start`: the characters before the results. */
type ResultsFile = { readonly path: string; readonly state: string | undefined; readonly start: string };

async function writeResults(client: Client, id: string, { path, state, start }: ResultsFile): Promise<void> {
  // The server refuses other states, and names the allowed ones.
  const { body } = await client.batchResults(id, state === undefined ? {} : { state: state as 'refused' });
  if (body === null) throw new TypeError('expected results with a body');
  // The types of the two streams differ only in their declarations.
  const results = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
  const written = createWriteStream(path);
  written.write(start);
  await pipeline(results, written);
}

function describe({ id, name, state, rows, accepted, refused, code, detail }: Batch): string {
  const title = name === null ? id : `${id} ${name}`;
  const reason = code === null ? '' : ` (${code}: ${detail})`;
  // A file that was refused as a whole has no rows.
  const counts = rows === null ? '' : `, ${rows} rows, ${accepted} accepted, ${refused} refused`;
  return `${title}: ${state}${reason}${counts}`;
}
