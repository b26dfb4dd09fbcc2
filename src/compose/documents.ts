import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../api/log.ts';
import type { DocumentsRoom } from '../cli/documents.ts';
import type { House } from '../compose.ts';
import { inFolderOf, type Settings } from '../config/settings.ts';
import { type BlobStore, BlobsUnavailable } from '../documents/blobs/blob-store.ts';
import { type FolderOptions, openFolderBlobs } from '../documents/blobs/folder.ts';
import { isErasureDue, runDeletion } from '../documents/deletion-run.ts';
import { newestHeld } from '../documents/document-store.ts';
import type { DocumentPorts } from '../documents/ports.ts';
import { type Scanning, startScanning } from '../documents/scan-documents.ts';
import { clamdScanner } from '../documents/scanners/clamd.ts';
import { type Swept, sweepBlobs } from '../documents/sweep-blobs.ts';
import { createLimit } from '../jobs/limit.ts';
import { repeat, soonMs } from '../jobs/repeat.ts';
import { hostOf } from '../kernel/url-host.ts';
import type { Read } from '../store/db.ts';

const dayMs = 86_400_000;

/** An upload may take so long; what is older and owned by no document is a leftover. */
const uploadHours = 24;
/** So long whoever has restored an old database can find a newer one: until then blobs without a row stay. */
const rowlessDays = 30;
const hourMs = 3_600_000;

type BlobsHouse = Pick<House, 'settings'> & { readonly log: Pick<Log, 'fault'> };

/** Opens where the sealed documents lie; a folder is made, and stored in, where it is that of the documents on record. */
export async function openBlobs(
  { settings, log }: BlobsHouse,
  options: Pick<FolderOptions, 'isOurs' | 'onlyLooks'> = {},
): Promise<BlobStore> {
  const { documentStore, s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = settings;
  const onFault = (cause: unknown) =>
    log.fault('documents', new BlobsUnavailable('the documents cannot be used at present', { cause }));
  if (!isBucket(settings)) {
    return await inFolderOf('DOCUMENT_STORE', () => openFolderBlobs(documentStore, { onFault, ...options }));
  }
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new Error(
      'DOCUMENT_STORE is an S3 bucket: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY. See docs/settings.md',
    );
  }
  // A quarter of a second to load, which only those pay who need it.
  const { openS3Blobs } = await import('../documents/blobs/s3.ts');
  return openS3Blobs({ ...s3PlaceOf(documentStore), accessKeyId, secretAccessKey }, { onFault });
}

/** For who only looks: nothing is made or stored. */
export const onlyLooking = { onlyLooks: true } as const;

/** The same for a house; where its documents are not there, nothing is stored beside what should be mounted. */
export async function openHouseBlobs(house: House): Promise<BlobStore> {
  const { settings, db } = house;
  if (isBucket(settings)) return await openBlobs(house);
  const looking = await openBlobs(house, onlyLooking);
  const isOurs = async () => (await absentDocuments(settings, db.read, looking)) === undefined;
  return await openBlobs(house, { isOurs });
}

const isBucket = ({ documentStore }: Pick<Settings, 'documentStore'>) => documentStore.startsWith('s3://');

/** The bucket in DOCUMENT_STORE, whose form the settings have checked. */
function s3PlaceOf(setting: string) {
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
export async function documentsRoom(house: House, operator: string): Promise<DocumentsRoom> {
  const { citizenKeys, log } = house;
  const citizenExists = (citizenId: string) => house.register.exists(citizenId);
  const ports = { blobs: await openBlobs(house, onlyLooking), citizenKeys, citizenExists, alarm: documentAlarm(log) };
  return { ...house, read: house.db.read, ports, operator };
}

/** Tells the operator that what was stored is not what is there: a line of the log, and a count of the metrics. */
export function documentAlarm(log: Log): DocumentPorts['alarm'] {
  return (kind, document) => log.fault(kind, new Error(`${kind}: ${document}`));
}

/** By this file in the folder the operator says that the documents on record are lost, and that new ones are stored there all the same. */
const beginAnewFile = 'begin-anew';

/** What is wrong where documents are on record and their folder or bucket has none of them: it is another one, or is not mounted. */
export async function absentDocuments(
  { documentStore }: Pick<Settings, 'documentStore'>,
  read: Read,
  blobs: Pick<BlobStore, 'has'>,
): Promise<string | undefined> {
  const newest = await newestHeld(read);
  if (newest.length === 0 || existsSync(join(documentStore, beginAnewFile))) return undefined;
  for (const name of newest) if (await blobs.has(name)) return undefined;
  return `documents are on record, and ${documentStore.replace(/\?.*/, '')} has none of the newest`;
}

/** Where they belong, as `doctor` and the log say it. */
export const whereDocumentsBelong =
  'see that DOCUMENT_STORE names where they are, and that it is mounted; if they are lost, see docs/trouble.md#documents';

/** Tells the operator of that at the start, which does not wait for a bucket; what needs no document is served. */
export async function tellOfAbsentDocuments(house: House): Promise<void> {
  const { settings, db, log } = house;
  const look = async () => {
    await documentsLook(house)();
    if (!isBucket(settings)) return;
    const absent = await absentDocuments(settings, db.read, await openBlobs(house, onlyLooking));
    if (absent !== undefined) log.fault('documents', new Error(`${absent}: ${whereDocumentsBelong}`));
  };
  const looking = look().catch((fault: unknown) => {
    if (!isBucket(settings) && !(fault instanceof BlobsUnavailable)) throw fault;
    log.fault('documents', fault);
  });
  if (!isBucket(settings)) await looking;
}

/** Looks whether the documents can be had; rejects where their folder is another one, and where their bucket cannot be listed. */
export function documentsLook({ settings, db }: Pick<House, 'settings' | 'db'>): () => Promise<void> {
  let opened: Promise<BlobStore> | undefined;
  return async () => {
    opened ??= openBlobs({ settings, log: { fault: () => undefined } }, onlyLooking);
    const blobs = await opened;
    if (isBucket(settings)) {
      for await (const _blob of blobs.list()) break;
      return;
    }
    const absent = await absentDocuments(settings, db.read, blobs);
    if (absent !== undefined) throw new BlobsUnavailable(`${absent}: ${whereDocumentsBelong}`);
  };
}

/** What the worker role does for documents: the content gate, the sweep of leftovers, the deletion run. */
export type Keeping = { wake(): void; stop(withinMs: number): Promise<void> };

type KeepingHouse = Pick<
  House,
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
export function startKeeping(house: KeepingHouse, ports: DocumentPorts): Keeping {
  const { clock, timer, log } = house;
  const gate = startGate(house, ports);
  let stopping = false;
  const isStopping = () => stopping;
  const onFault = (fault: unknown) => log.fault('documents', fault);
  const sweep = async (storedBefore: () => number) => {
    // What has no row may be a document, beside a database that was taken back: only time tells.
    if (!(await house.isClockSure())) return;
    // Files are dated by the machine.
    const before = storedBefore() + (await house.lookAtClock());
    const times = { before, rowless: before - rowlessDays * 24 * hourMs };
    tellSweep(log, await sweepBlobs({ blobs: ports.blobs, read: house.db.read, isStopping }, times));
  };
  const longAgo = () => clock.now() - uploadHours * hourMs;
  // Only this process can have an SQLite database open, and it has listened for a while; on PostgreSQL another may be in the middle
  // of an upload.
  const first = sweep(house.db.engine === 'sqlite' ? () => house.openedAt : longAgo).catch(onFault);
  const parts = { ...house, read: house.db.read, ports, isStopping };
  const repeated = [
    repeat({
      ...{ timer, everyMs: 6 * hourMs, onFault },
      call: () => sweep(longAgo),
    }),
    repeat({
      ...{ timer, everyMs: hourMs, firstMs: soonMs(house.random), onFault },
      call: async () => {
        if (!(await house.isClockSure()) || !(await isErasureDue(parts))) return;
        const { fault } = await runDeletion(parts, { process: 'retention' }, false);
        if (fault !== undefined) throw fault;
      },
    }),
  ];
  return {
    wake: () => gate?.wake(),
    stop: async (withinMs) => {
      stopping = true;
      // All at once: a sweep may be asking a store that does not answer.
      const over = createLimit(timer, withinMs);
      const ends = [first, ...repeated.map((one) => one.stop())].map(over.hold);
      await Promise.all([gate?.stop(withinMs), ...ends]);
    },
  };
}

function tellSweep(log: Log, swept: Swept): void {
  if (swept.broken + swept.orphans > 0) log.notice('leftovers of broken uploads removed', swept);
  if (swept.strays === 0) return;
  const what = `${swept.strays} sealed documents have no row in this database: is it the right one? Nothing was removed`;
  log.fault('documents', new Error(what));
}

/** Starts the content gate with the scanner of the settings, and says what that means where there is none. */
function startGate(house: KeepingHouse, ports: DocumentPorts): Scanning | undefined {
  const { settings, log } = house;
  if (settings.clamav === 'off') {
    log.notice('CLAMAV is off: documents are given out without a malware scan, and their records say so');
    return undefined;
  }
  if (settings.clamav === undefined) {
    log.notice('no scanner: deposited documents wait in `scanning`. Set CLAMAV to the address of clamd, or to off');
    return undefined;
  }
  return startScanning({
    ...house,
    read: house.db.read,
    ports,
    scanner: clamdScanner({ address: clamdAddress(settings.clamav) }),
    rescanAfterMs: settings.rescanAfterDays * dayMs,
    onScanner: (fault) => {
      if (fault === undefined) log.notice('the malware scanner is back');
      else log.fault('scanner-down', fault);
    },
    onFault: (fault) => log.fault('scan', fault),
  });
}

/** The address in CLAMAV, whose form the settings have checked. */
export function clamdAddress(setting: string): { path: string } | { host: string; port: number } {
  if (setting.startsWith('unix:')) return { path: setting.slice('unix:'.length).replace(/^\/\/\//, '/') };
  const url = new URL(setting);
  return { host: hostOf(url), port: Number(url.port) };
}
