import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { createDispatch, type DispatchContext } from '../../src/api/dispatch.ts';
import { bindOperation, type Operation, type OperationResponse } from '../../src/api/operation.ts';
import type { IncomingRequest } from '../../src/api/parse-request.ts';
import type { Caller } from '../../src/auth/caller.ts';
import { rootKeyFromBytes } from '../../src/crypto/root-key.ts';
import type { Database, Statement } from '../../src/db/database.ts';
import type { BlobStore } from '../../src/documents/blobs/blob-store.ts';
import { openFolderBlobs } from '../../src/documents/blobs/folder-blobs.ts';
import { depositDocument } from '../../src/documents/deposit-document.ts';
import { endGrant } from '../../src/documents/end-grant.ts';
import { grantDocument } from '../../src/documents/grant-document.ts';
import { listDocumentRecords } from '../../src/documents/list-documents.ts';
import type { DocumentAlarm, DocumentPorts } from '../../src/documents/ports.ts';
import { readDocumentRecord } from '../../src/documents/read-document-record.ts';
import {
  type DeletionPage,
  type DeletionRun,
  type RetentionDeps,
  runDeletion,
} from '../../src/documents/retention/run-deletion.ts';
import { retrieveDocument } from '../../src/documents/retrieve-document.ts';
import type { ScanDeps } from '../../src/documents/scan/scan-documents.ts';
import type { Scanner, ScanVerdict } from '../../src/documents/scan/scanner.ts';
import { withdrawDocument } from '../../src/documents/withdraw-document.ts';
import { createIdGenerator, type DocumentId, parseId } from '../../src/kernel/id.ts';
import type { Refusal } from '../../src/kernel/refusal.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { type CitizenKeys, createCitizenKeys } from '../../src/ledger/citizen-keys.ts';
import { createCommitter } from '../../src/ledger/commit.ts';
import { deriveContentKey, openEventContent } from '../../src/ledger/event-content.ts';
import type { Actor } from '../../src/ledger/ledger-event.ts';
import type { Engine } from './database-engines.ts';
import { emptyErasedList } from './empty-erased-list.ts';
import { makeTestFolder } from './test-folder.ts';
import { createVirtualTime } from './virtual-time.ts';

/** The result of a request to a document operation, with its complete body. */
export type DocumentResult =
  | { readonly refusal: Refusal }
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly json?: unknown;
      readonly bytes: Buffer;
      /** The fault that ended the body early. */
      readonly broke?: unknown;
    };

/** One request. The body arrives in these pieces; an Error among them ends it early. */
export type DocumentRequest = {
  readonly client?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: readonly (Uint8Array | Error)[];
};

export type DocumentApp = Awaited<ReturnType<typeof buildDocumentApp>>;

/** The known citizen, apart from `otherCitizen`. */
export const testCitizenId = 'CZ-1001';
export const otherCitizenId = 'CZ-1002';

/** Document operations on a new database and folder. */
export async function openDocumentApp(t: TestContext, engine: Engine): Promise<DocumentApp> {
  return buildDocumentApp(await engine.open(t), await makeDocumentFolder(t), systemRandom(32));
}

/** A folder that is removed after the test. */
export async function makeDocumentFolder(t: TestContext): Promise<string> {
  const folder = makeTestFolder('documents-');
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The caller of a request: a client, perhaps `for` a citizen; only a portal may act for one. */
function callerOf(token: string): Caller {
  const [clientId = '', citizenId] = token.split(' for ');
  const scopes = ['documents:read', 'documents:write', ...(clientId === 'portal' ? ['citizen:self'] : [])];
  const purposes = clientId === 'strict' ? new Set(['agreed']) : undefined;
  return { clientId, citizenId, purposes, scopes: new Set(scopes) };
}

function keyFunctionsOf(keys: () => CitizenKeys): Pick<CitizenKeys, 'keyOf' | 'guardedKeyOf' | 'preload' | 'evict'> {
  return {
    keyOf: (id) => keys().keyOf(id),
    guardedKeyOf: (id) => keys().guardedKeyOf(id),
    preload: (ids) => keys().preload(ids),
    evict: (id) => keys().evict(id),
  };
}

/** The document operations with real stores in that folder; the clock moves only when a test sets it. */
export async function buildDocumentApp(db: Database, folder: string, rootBytes: Uint8Array) {
  const time = { now: Date.UTC(2026, 5, 1, 12) };
  const clock = { now: () => time.now };
  const root = rootKeyFromBytes(rootBytes);
  let keys = createCitizenKeys(db.read, root, systemRandom);
  // The ETag key of the present root key.
  const citizenKeys: CitizenKeys = { ...keys, ...keyFunctionsOf(() => keys) };
  await db.write(citizenKeys.creationStatements([testCitizenId, otherCitizenId]));
  const alarms: string[] = [];
  const createId = createIdGenerator(clock, systemRandom);
  const blobs = await openFolderBlobs(join(folder, 'documents'));
  // Tests insert faults here, before and after the real calls.
  const faultPoints = { blobs, write: (unit: readonly Statement[]) => db.write(unit) };
  const ports = {
    blobs: viaFaultPoints(faultPoints),
    citizenKeys,
    etagKey: root.derive('document-etag'),
    random: systemRandom,
    alarm: (kind: DocumentAlarm) => void alarms.push(kind),
    scans: false as boolean,
    signer: undefined as DocumentPorts['signer'],
    granteeOf: async (clientId: string) => {
      if (clientId === 'nobody') return undefined;
      return clientId === 'strict' ? { purposes: ['agreed'] } : {};
    },
    limit: 104_857_600,
    citizensHaveKeys: true as boolean,
    citizenExists: async (id: string) => id === testCitizenId || id === otherCitizenId,
  };
  const context: DispatchContext = {
    authorizer: {
      authenticate: async (token = '') => callerOf(token),
      takeQuota: () => ({ headers: {} }),
    },
    clock,
    createId,
    read: db.read,
    commit: createCommitter({ db: { write: (unit) => faultPoints.write(unit) }, citizenKeys, random: systemRandom })
      .commit,
    fingerprintKey: new Uint8Array(32).fill(8),
  };
  return {
    db,
    folder,
    time,
    createId,
    app: context,
    ports,
    wires: faultPoints,
    alarms,
    citizenKeys,
    ...createOperations(context, ports),
    /** The dependencies of deletion runs and commands. */
    deletionDeps: {
      read: db.read,
      commit: context.commit,
      clock,
      createId,
      ports,
      erasedList: emptyErasedList,
      claim: (statement: Statement) => faultPoints.write([statement]),
    },
    /** Evicts cached keys, like a restart. */
    forgetKeys: () => {
      keys = createCitizenKeys(db.read, root, systemRandom);
    },
    /** The opened events about a citizen, oldest first. */
    eventsAbout: (id: string) => readCitizenEvents(db, citizenKeys, id),
    /** Each file in the folder of the app: relative path and bytes. */
    files: () => readFilesIn(folder),
  };
}

/** The document operations, each as a function from a request to its result. */
function createOperations(context: DispatchContext, ports: DocumentPorts) {
  const serve = (operation: Operation<DocumentPorts>) => {
    const dispatch = createDispatch(bindOperation(operation, ports), context);
    return async (request: DocumentRequest, params: Record<string, string> = {}): Promise<DocumentResult> =>
      readResult((await dispatch(toIncoming(request, operation.method, params))).result);
  };
  const retrieve = serve(retrieveDocument);
  const readRecord = serve(readDocumentRecord);
  const withdraw = serve(withdrawDocument);
  const grant = serve(grantDocument);
  const endGrantOperation = serve(endGrant);
  return {
    deposit: serve(depositDocument),
    retrieve: (id: string, request: DocumentRequest = {}) => retrieve(request, { id }),
    readRecord: (id: string, request: DocumentRequest = {}) => readRecord(request, { id }),
    list: serve(listDocumentRecords),
    withdraw: (id: string, request: DocumentRequest = {}) => withdraw(request, { id }),
    /** The issuer grants a client access. */
    grant: (id: string, body: object, request: DocumentRequest = {}) =>
      grant(
        { ...request, headers: { 'content-type': 'application/json' }, body: [Buffer.from(JSON.stringify(body))] },
        { id },
      ),
    endGrant: (id: string, query: string, request: DocumentRequest = {}) =>
      endGrantOperation({ ...request, query }, { id }),
  };
}

/** The issuer of deposits by default. */
export const issuer = 'tax-office';

function toIncoming(request: DocumentRequest, method: string, params: Record<string, string>): IncomingRequest {
  return {
    method: request.method ?? method,
    params,
    query: request.query ?? '',
    headers: { ...request.headers, authorization: request.client ?? issuer },
    body: toBodyStream(request.body ?? []),
    signal: new AbortController().signal,
  };
}

function toBodyStream(pieces: readonly (Uint8Array | Error)[]): Readable {
  async function* arriving() {
    for (const piece of pieces) {
      if (piece instanceof Error) throw piece;
      yield piece;
    }
  }
  return Readable.from(arriving(), { objectMode: false });
}

async function readResult(result: OperationResponse | Refusal): Promise<DocumentResult> {
  if ('slug' in result) return { refusal: result };
  const head = { status: result.status, headers: result.headers ?? {} };
  if ('json' in result) return { ...head, json: result.json, bytes: Buffer.alloc(0) };
  const pieces: Buffer[] = [];
  try {
    // A piece is valid until the next one is requested.
    for await (const piece of result.stream ?? []) pieces.push(Buffer.from(piece));
  } catch (streamError) {
    return { ...head, bytes: Buffer.concat(pieces), broke: streamError };
  }
  return { ...head, bytes: Buffer.concat(pieces) };
}

function viaFaultPoints(faultPoints: { readonly blobs: BlobStore }): BlobStore {
  return {
    put: (name, bytes) => faultPoints.blobs.put(name, bytes),
    read: (name, part) => faultPoints.blobs.read(name, part),
    has: (name) => faultPoints.blobs.has(name),
    remove: (name) => faultPoints.blobs.remove(name),
    list: () => faultPoints.blobs.list(),
    removeIncompleteUploads: (before) => faultPoints.blobs.removeIncompleteUploads(before),
  };
}

async function readCitizenEvents(db: Database, keys: CitizenKeys, citizenId: string) {
  const tag = keys.pseudonymOf(citizenId);
  const key = await keys.keyOf(citizenId);
  const rows = await db.read('select id, content from ledger_event where citizen_tag = $1 order by id', [tag]);
  return rows.map(({ id, content }) => {
    if (!(content instanceof Uint8Array)) throw new TypeError('an event has content');
    const event = parseId('event', String(id));
    if (event === undefined) throw new TypeError('an event has an id');
    return openEventContent(deriveContentKey(key, event), event, content);
  });
}

async function readFilesIn(folder: string): Promise<{ readonly path: string; readonly bytes: Buffer }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return { path: path.slice(folder.length + 1), bytes: await readFile(path) };
    }),
  );
}

/** The headers of an ordinary deposit of these bytes, with changes. */
export function depositHeadersOf(bytes: Uint8Array, others: Readonly<Record<string, string>> = {}) {
  return {
    'content-type': 'application/pdf',
    'content-length': String(bytes.length),
    'repr-digest': `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`,
    'citizen-id': testCitizenId,
    'document-title': 'Bescheid %C3%BCber 2025',
    ...others,
  };
}

/** A PDF of that size by its first bytes, filled with a marker that no other file has. */
export function makePdf(size: number): Buffer {
  const bytes = Buffer.alloc(size, 'MARKER-4711-PLAIN ');
  bytes.write('%PDF-1.7\n');
  return bytes;
}

/** Deposits these bytes and returns the id; throws if the deposit is refused. */
export async function depositDocumentOf(
  app: DocumentApp,
  bytes: Buffer,
  others: Readonly<Record<string, string>> = {},
) {
  const result = await app.deposit({ headers: depositHeadersOf(bytes, others), body: [bytes] });
  if ('refusal' in result) throw new Error(`the deposit was refused: ${result.refusal.slug}`);
  // The operation answered with the record of the stored document.
  return (result.json as { id: DocumentId }).id;
}

/** The verdict of a scanner that found nothing. */
export const cleanVerdict: ScanVerdict = { verdict: 'clean', engine: 'ClamAV 1.4.6/27000' };

/** A scan worker whose scanner returns these verdicts in order, and repeats the last one. */
export function createDocumentScan(app: DocumentApp, scan: Scanner['scan']) {
  app.ports.scans = true;
  const time = createVirtualTime(app.time.now);
  const reports: (string | undefined)[] = [];
  const scanner: Scanner = { engine: async () => cleanVerdict.engine, scan };
  const scanDeps: ScanDeps = {
    read: app.db.read,
    claim: async (statement) => (await app.db.write([statement]))[0] ?? [],
    commit: app.app.commit,
    clock: { now: () => Math.round(time.clock.now()) },
    timer: time.timer,
    random: systemRandom,
    createId: app.createId,
    ports: app.ports,
    scanner,
    rescanAfterMs: 1_000,
    onScannerState: (fault) => reports.push(fault?.message),
    onFault: (fault) => {
      throw fault;
    },
  };
  return { time, reports, parts: scanDeps };
}

/** Runs the deletion and collects the documents that its pages reported. */
export async function runDeletionWithIds(
  parts: RetentionDeps,
  actor: Actor,
  preview: boolean,
): Promise<DeletionPage & Pick<DeletionRun, 'fault'>> {
  const pages: DeletionPage[] = [];
  const onPage = async (page: DeletionPage) => void pages.push(page);
  const { fault, ...counts } = await runDeletion({ ...parts, onPage }, actor, preview);
  const all = (end: keyof DeletionPage) => pages.flatMap((page) => page[end]);
  const ends = { erased: all('erased'), held: all('held'), passed: all('passed') };
  for (const end of ['erased', 'held', 'passed'] as const) {
    if (counts[end] !== ends[end].length)
      throw new Error(`expected ${counts[end]} ${end} documents on the pages, received ${ends[end].length}`);
  }
  return fault === undefined ? ends : { ...ends, fault };
}
