import { setImmediate as nextTick } from 'node:timers/promises';
import type { Settings } from '../../config/settings.ts';
import { type Read, type Statement, WriteRefused } from '../../db/database.ts';
import { RootKeyRetired } from '../../db/root-key-store.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { IdGenerator } from '../../kernel/id.ts';
import { loadPhoneParser } from '../../kernel/phone-number.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import type { Commit } from '../../ledger/commit.ts';
import type { Actor } from '../../ledger/ledger-event.ts';
import { createCitizenStore, type StoreCitizens } from './citizen-store.ts';
import { addLine, type ImportChunk, type LineContext, startChunk } from './import-chunk.ts';
import { type ColumnMapping, formerFields, inferMapping } from './import-fields.ts';
import { fingerprintOf, type ImportFile, type ImportFormat, openImportFile } from './import-file.ts';
import type { JsonColumns } from './import-json.ts';
import { advanceImport, findImport, type ImportProgress, startImport } from './import-progress.ts';
import { createRowReader, mappedFields, type RowCondition } from './import-row.ts';
import { openRejectedRowsFile } from './rejected-rows-file.ts';
import { createIdFilter, createSeenIdSet, findRepeated, type RepeatedRow, withRepeatedRows } from './repeated-ids.ts';

/** The dependencies of an import. */
export type ImportDeps = {
  readonly read: Read;
  readonly commit: Commit;
  readonly citizenKeys: Pick<CitizenKeys, 'creationStatements'>;
  readonly createId: IdGenerator;
  readonly clock: Clock;
  readonly settings?: Pick<Settings, 'phoneCountry'>;
  /** Whether no other process or request uses the database, so that long units delay nothing. */
  readonly isAlone?: boolean;
};

/** The file to import, and how to read it. */
export type ImportOptions = {
  readonly path: string;
  readonly format: ImportFormat;
  /** Undefined infers the mapping from the column names. */
  readonly mapping?: ColumnMapping | undefined;
  readonly conditions: readonly RowCondition[];
  /** The CSV file for rejected rows. */
  readonly errorsPath?: string | undefined;
  /** Reads and checks all rows; writes only the error file. */
  readonly dryRun: boolean;
  /** Starts from the first row, even if an earlier import of the file stopped or finished. */
  readonly restart: boolean;
  readonly actor: Actor;
};

/** Called after each stored chunk. */
type OnImportProgress = (progress: ImportProgress, file: { readonly bytes: number }) => void;

/** The outcome of an import. */
export type ImportResult = {
  readonly progress: ImportProgress;
  readonly mapping: ColumnMapping;
  readonly began: 'new' | 'resumed' | 'already-finished';
  /** Rows that earlier runs read. */
  readonly readBefore: number;
};

/**
 * Rows of one write unit. Other writes wait for each unit, so units become smaller if they take long, as in a large register. Large units
 * share the cost of a sync and of index pages.
 */
const chunkRows = { alone: 2_048, most: 1_024, fewest: 128 } as const;
const targetUnitMs = 100;
/** Rows between two turns of the event loop, so that a running server answers requests. */
const rowsPerTick = 128;

/**
 * Imports a file of citizens in chunks. Each chunk is one unit with its event and the progress: after a crash the same call continues after
 * the last stored chunk. Known citizens are updated in the fields that the file has. Memory does not grow with the file.
 */
export async function importCitizens(
  deps: ImportDeps,
  options: ImportOptions,
  onProgress: OnImportProgress = () => undefined,
): Promise<ImportResult> {
  const columns = wantedColumns(options);
  await using file = await openImportFile(options.path, options.format, columns);
  const mapping = options.mapping ?? inferMapping(file.header);
  const readRow = createRowReader(file.header, mapping, {
    conditions: options.conditions,
    now: deps.clock.now(),
    parsePhone: mapping.phone === undefined ? undefined : await loadPhoneParser(deps.settings?.phoneCountry),
  });
  const { progress, began } = await findStart(deps, options, mapping);
  if (began === 'already-finished') return { progress, mapping, began, readBefore: progress.read };
  const errors =
    options.errorsPath === undefined
      ? undefined
      : await openRejectedRowsFile(options.errorsPath, file.header, progress.errorsBytes);
  try {
    const write = options.dryRun
      ? undefined
      : {
          app: deps,
          actor: options.actor,
          store: createCitizenStore(mappedFields(mapping)),
        };
    const ended = await importLines(file, { readRow, errors, write, onProgress, clock: deps.clock }, progress);
    return { progress: ended, mapping, began, readBefore: progress.read };
  } finally {
    await errors?.close();
  }
}

/** The columns to read; without a mapping all of them, and lists under their field names. */
function wantedColumns({ mapping, conditions }: ImportOptions): JsonColumns {
  const lists = new Set(
    formerFields.flatMap((field) => (mapping === undefined ? [field] : (mapping[field]?.columns ?? []))),
  );
  if (mapping === undefined) return { columns: [], lists };
  const columns = Object.values(mapping).flatMap((source) => source.columns);
  return { columns: [...new Set([...columns, ...conditions.map(({ column }) => column)])], lists };
}

type ImportStart = { readonly progress: ImportProgress; readonly began: ImportResult['began'] };

/** Continues after the last chunk of an earlier run with the same file and options, or starts a new import. */
async function findStart(deps: ImportDeps, options: ImportOptions, mapping: ColumnMapping): Promise<ImportStart> {
  const fresh: ImportProgress = {
    id: deps.createId('import'),
    nextOffset: 0,
    read: 0,
    stored: 0,
    refused: 0,
    leftOut: 0,
    reasons: {},
    remarks: {},
    firstRows: {},
    errorsBytes: 0,
    finished: false,
    startedAt: deps.clock.now(),
  };
  if (options.dryRun) return { progress: fresh, began: 'new' };
  const fingerprint = await fingerprintOf(options.path, {
    mapping,
    conditions: options.conditions,
    format: options.format,
  });
  const earlier = options.restart ? undefined : await findImport(deps.read, fingerprint);
  if (earlier !== undefined) return { progress: earlier, began: earlier.finished ? 'already-finished' : 'resumed' };
  await deps.commit({ events: [importEvent(deps, options.actor, fresh)], statements: startImport(fresh, fingerprint) });
  return { progress: fresh, began: 'new' };
}

function importEvent({ createId, clock }: ImportDeps, actor: Actor, { id, stored, refused, finished }: ImportProgress) {
  const head = { id: createId('event'), at: clock.now(), actor } as const;
  return { type: 'register.imported', ...head, import: id, rows: stored, refused, finished } as const;
}

type ImportWork = Omit<LineContext, 'ids'> & {
  /** Absent in a dry run. */
  readonly write: { readonly app: ImportDeps; readonly actor: Actor; readonly store: StoreCitizens } | undefined;
  readonly onProgress: OnImportProgress;
  readonly clock: Clock;
};

/** Prepares one chunk while the previous one is being stored; at most these two are in memory. */
async function importLines(file: ImportFile, work: ImportWork, from: ImportProgress): Promise<ImportProgress> {
  let stored = from;
  let storing = Promise.resolve(from);
  let chunk = startChunk(from);
  const isAlone = work.write?.app.isAlone === true;
  // A resumed import does not know the ids that the earlier run read.
  const lines = { ...work, ids: work.write === undefined ? createSeenIdSet() : createIdFilter(from.read > 0) };
  let rows: number = isAlone ? chunkRows.alone : chunkRows.most;
  const flushChunk = async (finished: boolean) => {
    const { progress, repeats } = chunk;
    const ready = { progress: { ...progress, finished }, repeats, ...(await chunkStatementsOf(chunk, work)) };
    // The statements contain the rows now, so the chunk can be released.
    chunk = startChunk(ready.progress);
    stored = await storing;
    work.onProgress(stored, file);
    const startedAt = work.clock.now();
    storing = storeChunk(ready, stored, work).then((progress) => {
      if (!isAlone) rows = nextChunkRows(rows, work.clock.now() - startedAt);
      return progress;
    });
    // The next `await storing` throws the error of a failed chunk.
    storing.catch(() => undefined);
  };
  for await (const batch of file.lines(from.nextOffset)) {
    for (const line of batch) {
      addLine(chunk, line, lines);
      if (chunk.rows >= rows) await flushChunk(false);
      else if (chunk.rows % rowsPerTick === 0) await nextTick();
    }
  }
  await flushChunk(true);
  const ended = await storing;
  work.onProgress(ended, file);
  return ended;
}

/** The number of rows of the next unit, from the duration of the last one. */
function nextChunkRows(rows: number, tookMs: number): number {
  if (tookMs > targetUnitMs) return Math.max(chunkRows.fewest, rows / 2);
  return tookMs < targetUnitMs / 4 ? Math.min(chunkRows.most, rows * 2) : rows;
}

/** Another process stored this chunk, or restarted the import. */
export class ConcurrentImport extends Error {
  constructor(options: ErrorOptions) {
    super('another command imports this file; wait until it ends, or stop it and run this command again', options);
    this.name = 'ConcurrentImport';
  }
}

/** The statements of a chunk without its progress. `keys` are made again if the root key was rotated meanwhile. */
type ChunkStatements = {
  readonly citizenIds: readonly string[];
  readonly rows: readonly Statement[];
  readonly keys: readonly Statement[];
};

async function chunkStatementsOf({ citizens }: ImportChunk, { write }: ImportWork): Promise<ChunkStatements> {
  const rows: Statement[] = [];
  const keys: Statement[] = [];
  if (write === undefined) return { citizenIds: [], rows, keys };
  // Sorted by id, so that one statement changes adjacent index entries.
  const all = [...citizens.values()].sort((one, other) => (one.citizenId < other.citizenId ? -1 : 1));
  for (let from = 0; from < all.length; from += rowsPerTick) {
    const batch = all.slice(from, from + rowsPerTick);
    rows.push(...write.store(batch));
    keys.push(...write.app.citizenKeys.creationStatements(batch.map(({ citizenId }) => citizenId)));
    await nextTick();
  }
  return { citizenIds: [...citizens.keys()], rows, keys };
}

type ReadyChunk = ChunkStatements & { readonly progress: ImportProgress; readonly repeats: readonly RepeatedRow[] };

/** Rejected rows reach the disk before the chunk that counts them. After a crash in between, the next run removes them from the file. */
async function storeChunk(
  chunk: ReadyChunk,
  from: ImportProgress,
  { errors, write }: ImportWork,
): Promise<ImportProgress> {
  // Without an `await` before: rows that are rejected from the next tick on belong to the next chunk.
  const errorsBytes = (await errors?.flush()) ?? 0;
  const read: Read = write === undefined ? async () => [] : write.app.read;
  const repeated = await findRepeated(read, from.id, chunk.repeats);
  const to = { ...withRepeatedRows(chunk.progress, from, repeated), errorsBytes };
  if (write === undefined) return to;
  const { app: deps, actor } = write;
  // Keys are created after the rows, so that the lock against a root key rotation is short.
  const storeWith = async (keys: readonly Statement[]) => {
    const statements = [...chunk.rows, ...keys, advanceImport(from, to, deps.clock.now())];
    await deps.commit({ events: [importEvent(deps, actor, to)], statements });
  };
  try {
    await storeWith(chunk.keys).catch(async (cause: unknown) => {
      if (!(cause instanceof RootKeyRetired)) throw cause;
      await storeWith(deps.citizenKeys.creationStatements(chunk.citizenIds));
    });
  } catch (cause) {
    if (cause instanceof WriteRefused && cause.kind === 'rows') throw new ConcurrentImport({ cause });
    throw cause;
  }
  return to;
}
