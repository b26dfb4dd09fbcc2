import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { mostOrphans } from '../documents/sweep-blobs.ts';
import { type Finding, rowWithinMs, type Verified, verifyDocuments } from '../documents/verify-documents.ts';
import { anchorFile, openAnchor } from '../ledger/anchor.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import { readHead } from '../ledger/ledger-store.ts';
import type { LogView } from '../ledger/log-view.ts';
import { openTree } from '../ledger/open-tree.ts';
import type { Policy } from '../ledger/policy.ts';
import { writeSynced } from '../ledger/synced-file.ts';
import { TileMissing } from '../ledger/tree.ts';
import { verifyLog } from '../ledger/verify-log.ts';
import { faultsOfDatabase } from '../store/database-faults.ts';
import type { Read } from '../store/db.ts';
import { databaseFile } from '../store/open.ts';
import { listDocuments } from './backup-documents.ts';
import { documentsDiffer, documentsFolder, readAnchor, takeDatabase } from './backup-folder.ts';
import { type Manifest, readProvenManifest } from './backup-manifest.ts';
import type { DocumentsRoom } from './documents.ts';
import { grouped } from './progress.ts';

/** An installation that was opened for a trial. */
export type TrialRoom = Pick<DocumentsRoom, 'ports'> & {
  readonly read: Read;
  readonly citizenKeys: Pick<CitizenKeys, 'load'>;
  readonly log: LogView;
  /** The keys of the log, and under which name; undefined where nothing was numbered yet. */
  readonly logPolicy: () => Promise<Policy | undefined>;
};

/** Opens the installation that the settings name, migrated to this program, with the root key in that file. */
export type OpenTrial = <T>(settings: Settings, rootKey: string, use: (room: TrialRoom) => Promise<T>) => Promise<T>;

export type VerifyOptions = {
  readonly folder: string;
  /** An empty folder in which the database is restored for the trial; what is left in it is the caller's to remove. */
  readonly scratch: string;
  /** Bytes of documents are not read, only that each is there with its end. */
  readonly quick: boolean;
  readonly rootKey: string;
  readonly openTrial: OpenTrial;
  readonly onProgress: (what: string) => void;
  /** Aborted when nobody waits for the verdict any more. */
  readonly stopped: AbortSignal;
};

export type BackupVerdict = {
  readonly manifest: Manifest;
  readonly faults: readonly string[];
  readonly citizens: number;
  readonly documents: number;
  readonly entries: number;
  /** Sealed bytes that no document owns, as uploads leave that broke off: a restored server removes them. */
  readonly leftovers: number;
};

/**
 * Restores a backup on trial: the database as a copy, the documents where they lie. Then everything is read that a restored
 * server would need: the database is sound, this program can migrate it, the root key opens every key of a citizen, every
 * document opens to its last byte, and the ledger fits its anchor as a start demands it, and leads to its signed root.
 */
export async function verifyBackup(settings: Settings, options: VerifyOptions): Promise<BackupVerdict> {
  const { folder, openTrial } = options;
  const manifest = await readProvenManifest(folder, options.rootKey);
  const none = { manifest, citizens: 0, documents: 0, entries: 0, leftovers: 0 };
  // Before any of them is opened: what is no file would keep the trial waiting.
  const listed = manifest.documents === null ? undefined : await listDocuments(join(folder, documentsFolder));
  const differ = listed === undefined ? undefined : documentsDiffer(listed, manifest);
  options.onProgress('the database');
  const database = join(options.scratch, databaseFile);
  const differs = await takeDatabase(folder, manifest, { to: database, stopped: options.stopped });
  if (differs !== undefined) return { ...none, faults: [differs] };
  const found = await readAnchor(folder, manifest);
  if ('differs' in found) return { ...none, faults: [found.differs] };
  options.onProgress('whether the database is sound');
  const broken = await faultsOfDatabase(database, options.stopped);
  if (broken.length > 0) return { ...none, faults: broken.map((fault) => `database: ${fault}`) };
  // What lies in S3 is not looked at, and so needs no keys of it here.
  const documentStore = join(manifest.documents === null ? options.scratch : folder, documentsFolder);
  const restored = { ...settings, databaseUrl: undefined, dataDir: options.scratch, documentStore };
  return await openTrial(restored, options.rootKey, async (room) => {
    const { faults, ...counts } = await verifyRestored(room, { manifest, anchor: found.anchor }, options);
    return { manifest, ...counts, faults: differ === undefined ? faults : [...faults, differ] };
  });
}

type Taken = { readonly manifest: Manifest; readonly anchor: string | undefined };

async function verifyRestored(room: TrialRoom, { manifest, anchor }: Taken, options: VerifyOptions) {
  options.onProgress('the keys of the citizens');
  const keys = await verifyKeys(room);
  if ('fault' in keys) return { faults: [keys.fault], citizens: 0, documents: 0, entries: 0, leftovers: 0 };
  const documents = await verifyItsDocuments(room, manifest, options);
  options.onProgress('the ledger');
  const anchorPath = join(options.scratch, anchorFile);
  if (anchor !== undefined) await writeSynced(anchorPath, anchor);
  const ledger = await verifyLedger(room, { path: anchorPath, note: anchor ?? '' }, options);
  const faults = [...documents.faults, ...ledger.faults];
  return { ...documents, faults, citizens: keys.citizens, entries: ledger.entries };
}

const keysAtOnce = 1_000;

/** Opens the key of every citizen with the root key. */
async function verifyKeys({ read, citizenKeys }: TrialRoom): Promise<{ citizens: number } | { fault: string }> {
  let citizens = 0;
  for (let after = ''; ; ) {
    const sql = 'select citizen_id from citizen_key where citizen_id > $1 order by citizen_id limit $2';
    const ids = (await read(sql, [after, keysAtOnce])).map((row) => String(row['citizen_id']));
    try {
      await citizenKeys.load(ids);
    } catch (fault) {
      const why = fault instanceof Error ? fault.message : 'unknown';
      return { fault: `the root key does not open the keys of all citizens, so this backup cannot be read: ${why}` };
    }
    citizens += ids.length;
    const last = ids.at(-1);
    if (last === undefined || ids.length < keysAtOnce) return { citizens };
    after = last;
  }
}

/** What the sweep of a restored server removes: it is in nobody's way, unless there is more than broken uploads leave. */
const sweptAway: ReadonlySet<Finding['fault']> = new Set(['orphan-blob', 'erased-blob-left']);

async function verifyItsDocuments(room: TrialRoom, manifest: Manifest, { quick, onProgress }: VerifyOptions) {
  // In S3 there may be more by now, and less: what a backup leaves out it cannot answer for.
  if (manifest.documents === null) return { faults: [], documents: 0, leftovers: 0 };
  const excused = new Set(manifest.erasedMeanwhile);
  const findings: Finding[] = [];
  const { documents }: Verified = await verifyDocuments({
    ...room,
    readBytes: !quick,
    before: Date.parse(manifest.begunAt) - rowWithinMs,
    onFinding: (finding) => void findings.push(finding),
    onProgress: (count) => onProgress(`${count} documents`),
  });
  const leftovers = findings.filter(({ fault }) => sweptAway.has(fault)).length;
  const strays = findings.filter(({ fault }) => fault === 'orphan-blob').length;
  const faults = findings
    .filter(({ id, fault }) => !(sweptAway.has(fault) || (fault === 'blob-missing' && excused.has(id))))
    .map(({ id, fault, detail }) => `document ${id}: ${fault}: ${detail}`);
  if (strays > mostOrphans) faults.push(`${strays} sealed documents have no row in the database: is it an older one?`);
  return { faults, documents, leftovers };
}

/** What a start demands of the ledger and its anchor, and then the whole log, up to its signed checkpoint. */
async function verifyLedger(
  { read, log, logPolicy }: TrialRoom,
  placed: { readonly path: string; readonly note: string },
  { onProgress }: Pick<VerifyOptions, 'onProgress'>,
) {
  const told = (...faults: readonly string[]) => ({ entries: 0, faults: faults.map((fault) => `ledger: ${fault}`) });
  const anchor = openAnchor(placed.path);
  const head = await readHead(read);
  let anchored: Awaited<ReturnType<typeof anchor.read>>;
  try {
    anchored = await anchor.read();
    // Only a ledger that is not begun would be written.
    if (head !== undefined)
      await openTree({ read, write: () => Promise.reject(new Error('it is gone')) }, anchor, head);
  } catch (fault) {
    return told(fault instanceof Error ? fault.message : 'it does not open');
  }
  const [policy, signed] = [await logPolicy(), await log.signed()];
  if (policy === undefined) return anchored === undefined ? told() : told('it has an anchor, and no entry');
  if (signed === undefined) return told();
  if (anchored === undefined) return told(`its anchor, ${anchorFile}, is missing`);
  const source = {
    checkpoint: async () => signed.note,
    tile: async (name: Parameters<LogView['tile']>[0]) => {
      const bytes = await log.tile(name);
      if (bytes === undefined) throw new TileMissing(name.level, name.index);
      return bytes;
    },
  };
  // An anchor is written before its checkpoint is stored: a copy that was taken in between has the newer one beside it.
  const earlier = anchored.size > signed.size ? [] : [placed.note];
  const verdict = await verifyLog(source, {
    ...{ policy, earlier },
    onProgress: (done, total) => onProgress(`the ledger, ${grouped(done)} of ${grouped(total)} entries`),
  });
  return 'fault' in verdict ? told(verdict.fault) : { entries: verdict.checkpoint.size, faults: [] };
}
