import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../api/log.ts';
import type { DocumentsContext } from '../cli/documents.ts';
import { openFolderOfSetting, type Settings } from '../config/settings.ts';
import type { Read } from '../db/database.ts';
import { type BlobStore, BlobsUnavailable } from '../documents/blobs/blob-store.ts';
import { type FolderBlobOptions, openFolderBlobs } from '../documents/blobs/folder-blobs.ts';
import { type SweepResult, sweepBlobs } from '../documents/blobs/sweep-blobs.ts';
import { newestStoredDocumentIds } from '../documents/document-store.ts';
import type { DocumentPorts } from '../documents/ports.ts';
import { isErasureDue, runDeletion } from '../documents/retention/run-deletion.ts';
import { createClamdScanner } from '../documents/scan/clamd-scanner.ts';
import { type ScanWorker, startScanWorker } from '../documents/scan/scan-documents.ts';
import { createCallTimeout } from '../jobs/call-timeout.ts';
import { repeatEvery, startupDelayMs } from '../jobs/repeat-every.ts';
import { unbracketedHost } from '../kernel/unbracketed-host.ts';
import type { AppContext } from './app-context.ts';

const dayMs = 86_400_000;

/** An upload may take so long; what is older and owned by no document is a leftover. */
const uploadHours = 24;
/** So long whoever has restored an old database can find a newer one: until then blobs without a row stay. */
const orphanKeptDays = 30;
const hourMs = 3_600_000;

type BlobStoreDeps = Pick<AppContext, 'settings'> & { readonly log: Pick<Log, 'fault'> };

/** Opens where the sealed documents lie; a folder is made, and stored in, where it is that of the documents on record. */
export async function openBlobs(
  { settings, log }: BlobStoreDeps,
  options: Pick<FolderBlobOptions, 'isOwnFolder' | 'isReadOnly'> = {},
): Promise<BlobStore> {
  const { documentStore, s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = settings;
  const onFault = (cause: unknown) =>
    log.fault('documents', new BlobsUnavailable('the documents cannot be used at present', { cause }));
  if (!isBucket(settings)) {
    return await openFolderOfSetting('DOCUMENT_STORE', () => openFolderBlobs(documentStore, { onFault, ...options }));
  }
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new Error(
      'DOCUMENT_STORE is an S3 bucket: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY. See docs/settings.md',
    );
  }
  // A quarter of a second to load, which only those pay who need it.
  const { openS3Blobs } = await import('../documents/blobs/s3-blobs.ts');
  return openS3Blobs({ ...parseS3Location(documentStore), accessKeyId, secretAccessKey }, { onFault });
}

/** For who only looks: nothing is made or stored. */
export const readOnlyBlobs = { isReadOnly: true } as const;

/** The same for a house; where its documents are not there, nothing is stored beside what should be mounted. */
export async function openAppBlobs(app: AppContext): Promise<BlobStore> {
  const { settings, db } = app;
  if (isBucket(settings)) return await openBlobs(app);
  const readOnlyStore = await openBlobs(app, readOnlyBlobs);
  const isOwnFolder = async () => (await findMissingDocuments(settings, db.read, readOnlyStore)) === undefined;
  return await openBlobs(app, { isOwnFolder });
}

const isBucket = ({ documentStore }: Pick<Settings, 'documentStore'>) => documentStore.startsWith('s3://');

/** The bucket in DOCUMENT_STORE, whose form the settings have checked. */
function parseS3Location(setting: string) {
  const url = new URL(setting);
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  return {
    bucket: url.host,
    prefix: prefix === '' ? '' : `${prefix}/`,
    region: url.searchParams.get('region') ?? '',
    endpoint: url.searchParams.get('endpoint') ?? undefined,
  };
}

/** What the commands about documents work on. */
export async function createDocumentsContext(app: AppContext, operator: string): Promise<DocumentsContext> {
  const { citizenKeys, log } = app;
  const citizenExists = (citizenId: string) => app.register.exists(citizenId);
  const ports = {
    blobs: await openBlobs(app, readOnlyBlobs),
    citizenKeys,
    citizenExists,
    alarm: createDocumentAlarm(log),
  };
  return { ...app, read: app.db.read, ports, operator };
}

/** Tells the operator that what was stored is not what is there: a line of the log, and a count of the metrics. */
export function createDocumentAlarm(log: Log): DocumentPorts['alarm'] {
  return (kind, document) => log.fault(kind, new Error(`${kind}: ${document}`));
}

/** By this file in the folder the operator says that the documents on record are lost, and that new ones are stored there all the same. */
const startEmptyFile = 'begin-anew';

/** What is wrong where documents are on record and their folder or bucket has none of them: it is another one, or is not mounted. */
export async function findMissingDocuments(
  { documentStore }: Pick<Settings, 'documentStore'>,
  read: Read,
  blobs: Pick<BlobStore, 'has'>,
): Promise<string | undefined> {
  const newest = await newestStoredDocumentIds(read);
  if (newest.length === 0 || existsSync(join(documentStore, startEmptyFile))) return undefined;
  for (const name of newest) if (await blobs.has(name)) return undefined;
  return `documents are on record, and ${documentStore.replace(/\?.*/, '')} has none of the newest`;
}

/** Where they belong, as `doctor` and the log say it. */
export const missingDocumentsFix =
  'see that DOCUMENT_STORE names where they are, and that it is mounted; if they are lost, see docs/trouble.md#documents';

/** Tells the operator of that at the start, which does not wait for a bucket; what needs no document is served. */
export async function reportMissingDocuments(app: AppContext): Promise<void> {
  const { settings, db, log } = app;
  const look = async () => {
    await createDocumentsCheck(app)();
    if (!isBucket(settings)) return;
    const missing = await findMissingDocuments(settings, db.read, await openBlobs(app, readOnlyBlobs));
    if (missing !== undefined) log.fault('documents', new Error(`${missing}: ${missingDocumentsFix}`));
  };
  const checking = look().catch((fault: unknown) => {
    if (!isBucket(settings) && !(fault instanceof BlobsUnavailable)) throw fault;
    log.fault('documents', fault);
  });
  if (!isBucket(settings)) await checking;
}

/** Looks whether the documents can be had; rejects where their folder is another one, and where their bucket cannot be listed. */
export function createDocumentsCheck({ settings, db }: Pick<AppContext, 'settings' | 'db'>): () => Promise<void> {
  let opened: Promise<BlobStore> | undefined;
  return async () => {
    opened ??= openBlobs({ settings, log: { fault: () => undefined } }, readOnlyBlobs);
    const blobs = await opened;
    if (isBucket(settings)) {
      for await (const _blob of blobs.list()) break;
      return;
    }
    const missing = await findMissingDocuments(settings, db.read, blobs);
    if (missing !== undefined) throw new BlobsUnavailable(`${missing}: ${missingDocumentsFix}`);
  };
}

/** What the worker role does for documents: the content gate, the sweep of leftovers, the deletion run. */
export type StoreJob = { wake(): void; stop(withinMs: number): Promise<void> };

type StoreJobDeps = Pick<
  AppContext,
  | 'settings'
  | 'log'
  | 'db'
  | 'claim'
  | 'commit'
  | 'clock'
  | 'openedAt'
  | 'lookAtClock'
  | 'isClockSure'
  | 'timer'
  | 'random'
  | 'mint'
>;

/** Starts it; the sweep begins behind the start, which does not wait for it. */
export function startStoreJob(app: StoreJobDeps, ports: DocumentPorts): StoreJob {
  const { clock, timer, log } = app;
  const quarantine = startQuarantine(app, ports);
  let stopping = false;
  const isStopping = () => stopping;
  const onFault = (fault: unknown) => log.fault('documents', fault);
  const sweep = async (storedBefore: () => number) => {
    // What has no row may be a document, beside a database that was taken back: only time tells.
    if (!(await app.isClockSure())) return;
    // Files are dated by the machine.
    const before = storedBefore() + (await app.lookAtClock());
    const times = { before, rowless: before - orphanKeptDays * 24 * hourMs };
    reportSweep(log, await sweepBlobs({ blobs: ports.blobs, read: app.db.read, isStopping }, times));
  };
  const longAgo = () => clock.now() - uploadHours * hourMs;
  // Only this process can have an SQLite database open, and it has listened for a while; on PostgreSQL another may be in the middle
  // of an upload.
  const first = sweep(app.db.engine === 'sqlite' ? () => app.openedAt : longAgo).catch(onFault);
  const deps = { ...app, read: app.db.read, ports, isStopping };
  const repeated = [
    repeatEvery({
      ...{ timer, everyMs: 6 * hourMs, onFault },
      call: () => sweep(longAgo),
    }),
    repeatEvery({
      ...{ timer, everyMs: hourMs, firstMs: startupDelayMs(app.random), onFault },
      call: async () => {
        if (!(await app.isClockSure()) || !(await isErasureDue(deps))) return;
        const { fault } = await runDeletion(deps, { process: 'retention' }, false);
        if (fault !== undefined) throw fault;
      },
    }),
  ];
  return {
    wake: () => quarantine?.wake(),
    stop: async (withinMs) => {
      stopping = true;
      // All at once: a sweep may be asking a store that does not answer.
      const over = createCallTimeout(timer, withinMs);
      const ends = [first, ...repeated.map((one) => one.stop())].map(over.waitFor);
      await Promise.all([quarantine?.stop(withinMs), ...ends]);
    },
  };
}

function reportSweep(log: Log, swept: SweepResult): void {
  if (swept.broken + swept.orphans > 0) log.notice('leftovers of broken uploads removed', swept);
  if (swept.strays === 0) return;
  const what = `${swept.strays} sealed documents have no row in this database: is it the right one? Nothing was removed`;
  log.fault('documents', new Error(what));
}

/** Starts the content gate with the scanner of the settings, and says what that means where there is none. */
function startQuarantine(app: StoreJobDeps, ports: DocumentPorts): ScanWorker | undefined {
  const { settings, log } = app;
  if (settings.clamav === 'off') {
    log.notice('CLAMAV is off: documents are given out without a malware scan, and their records say so');
    return undefined;
  }
  if (settings.clamav === undefined) {
    log.notice('no scanner: deposited documents wait in `scanning`. Set CLAMAV to the address of clamd, or to off');
    return undefined;
  }
  return startScanWorker({
    ...app,
    read: app.db.read,
    ports,
    scanner: createClamdScanner({ address: parseClamdAddress(settings.clamav) }),
    rescanAfterMs: settings.rescanAfterDays * dayMs,
    onScannerState: (fault) => {
      if (fault === undefined) log.notice('the malware scanner is back');
      else log.fault('scanner-down', fault);
    },
    onFault: (fault) => log.fault('scan', fault),
  });
}

/** The address in CLAMAV, whose form the settings have checked. */
export function parseClamdAddress(setting: string): { path: string } | { host: string; port: number } {
  if (setting.startsWith('unix:')) return { path: setting.slice('unix:'.length).replace(/^\/\/\//, '/') };
  const url = new URL(setting);
  return { host: unbracketedHost(url), port: Number(url.port) };
}
