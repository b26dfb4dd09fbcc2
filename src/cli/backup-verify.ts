import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import type { Read } from '../db/database.ts';
import { databaseFile } from '../db/open-database.ts';
import { checkIntegrity } from '../db/sqlite/integrity-check.ts';
import { maxOrphans } from '../documents/blobs/sweep-blobs.ts';
import {
  type DocumentFinding,
  type DocumentVerification,
  rowDeadlineMs,
  verifyDocuments,
} from '../documents/verify-documents.ts';
import { anchorFileName, openAnchor } from '../ledger/anchor.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import { readTreeHead } from '../ledger/ledger-store.ts';
import type { LogView } from '../ledger/log-view.ts';
import { openTree } from '../ledger/open-tree.ts';
import { replaceFileSynced } from '../ledger/replace-file-synced.ts';
import { TileMissing } from '../ledger/tlog/tiled-tree.ts';
import type { TlogPolicy } from '../ledger/tlog/tlog-policy.ts';
import { verifyLog } from '../ledger/verify-log.ts';
import { listBackupDocuments } from './backup-documents.ts';
import { documentsDifference, documentsFolder, extractDatabase, readBackupAnchor } from './backup-folder.ts';
import { type BackupManifest, readVerifiedManifest } from './backup-manifest.ts';
import type { DocumentsContext } from './documents.ts';
import { formatCount } from './progress.ts';

/** An installation that was opened for a trial. */
export type TrialContext = Pick<DocumentsContext, 'ports'> & {
  readonly read: Read;
  readonly citizenKeys: Pick<CitizenKeys, 'preload'>;
  readonly log: LogView;
  /** The keys of the log, and under which name; undefined where nothing was numbered yet. */
  readonly logPolicy: () => Promise<TlogPolicy | undefined>;
};

/** Opens the installation that the settings name, migrated to this program, with the root key in that file. */
export type WithTrial = <T>(
  settings: Settings,
  rootKey: string,
  use: (context: TrialContext) => Promise<T>,
) => Promise<T>;

export type VerifyBackupOptions = {
  readonly folder: string;
  /** An empty folder in which the database is restored for the trial; what is left in it is the caller's to remove. */
  readonly scratch: string;
  /** Bytes of documents are not read, only that each is there with its end. */
  readonly quick: boolean;
  readonly rootKey: string;
  readonly withTrial: WithTrial;
  readonly onProgress: (what: string) => void;
  /** Aborted when nobody waits for the verdict any more. */
  readonly stopped: AbortSignal;
};

export type BackupReport = {
  readonly manifest: BackupManifest;
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
export async function verifyBackup(settings: Settings, options: VerifyBackupOptions): Promise<BackupReport> {
  const { folder, withTrial } = options;
  const manifest = await readVerifiedManifest(folder, options.rootKey);
  const none = { manifest, citizens: 0, documents: 0, entries: 0, leftovers: 0 };
  // Before any of them is opened: what is no file would keep the trial waiting.
  const listed = manifest.documents === null ? undefined : await listBackupDocuments(join(folder, documentsFolder));
  const differ = listed === undefined ? undefined : documentsDifference(listed, manifest);
  options.onProgress('the database');
  const database = join(options.scratch, databaseFile);
  const differs = await extractDatabase(folder, manifest, { to: database, stopped: options.stopped });
  if (differs !== undefined) return { ...none, faults: [differs] };
  const found = await readBackupAnchor(folder, manifest);
  if ('differs' in found) return { ...none, faults: [found.differs] };
  options.onProgress('whether the database is sound');
  const broken = await checkIntegrity(database, options.stopped);
  if (broken.length > 0) return { ...none, faults: broken.map((fault) => `database: ${fault}`) };
  // What lies in S3 is not looked at, and so needs no keys of it here.
  const documentStore = join(manifest.documents === null ? options.scratch : folder, documentsFolder);
  const restored = { ...settings, databaseUrl: undefined, dataDir: options.scratch, documentStore };
  return await withTrial(restored, options.rootKey, async (context) => {
    const { faults, ...counts } = await verifyRestored(context, { manifest, anchor: found.anchor }, options);
    return { manifest, ...counts, faults: differ === undefined ? faults : [...faults, differ] };
  });
}

type RestoredBackup = { readonly manifest: BackupManifest; readonly anchor: string | undefined };

async function verifyRestored(
  context: TrialContext,
  { manifest, anchor }: RestoredBackup,
  options: VerifyBackupOptions,
) {
  options.onProgress('the keys of the citizens');
  const keys = await verifyCitizenKeys(context);
  if ('fault' in keys) return { faults: [keys.fault], citizens: 0, documents: 0, entries: 0, leftovers: 0 };
  const documents = await verifyBackupDocuments(context, manifest, options);
  options.onProgress('the ledger');
  const anchorPath = join(options.scratch, anchorFileName);
  if (anchor !== undefined) await replaceFileSynced(anchorPath, anchor);
  const ledger = await verifyLedger(context, { path: anchorPath, note: anchor ?? '' }, options);
  const faults = [...documents.faults, ...ledger.faults];
  return { ...documents, faults, citizens: keys.citizens, entries: ledger.entries };
}

const keyBatchSize = 1_000;

/** Opens the key of every citizen with the root key. */
async function verifyCitizenKeys({
  read,
  citizenKeys,
}: TrialContext): Promise<{ citizens: number } | { fault: string }> {
  let citizens = 0;
  for (let after = ''; ; ) {
    const sql = 'select citizen_id from citizen_key where citizen_id > $1 order by citizen_id limit $2';
    const ids = (await read(sql, [after, keyBatchSize])).map((row) => String(row['citizen_id']));
    try {
      await citizenKeys.preload(ids);
    } catch (fault) {
      const why = fault instanceof Error ? fault.message : 'unknown';
      return { fault: `the root key does not open the keys of all citizens, so this backup cannot be read: ${why}` };
    }
    citizens += ids.length;
    const last = ids.at(-1);
    if (last === undefined || ids.length < keyBatchSize) return { citizens };
    after = last;
  }
}

/** What the sweep of a restored server removes: it is in nobody's way, unless there is more than broken uploads leave. */
const removedBySweep: ReadonlySet<DocumentFinding['fault']> = new Set(['orphan-blob', 'erased-blob-left']);

async function verifyBackupDocuments(
  context: TrialContext,
  manifest: BackupManifest,
  { quick, onProgress }: VerifyBackupOptions,
) {
  // In S3 there may be more by now, and less: what a backup leaves out it cannot answer for.
  if (manifest.documents === null) return { faults: [], documents: 0, leftovers: 0 };
  const excused = new Set(manifest.erasedMeanwhile);
  const findings: DocumentFinding[] = [];
  const { documents }: DocumentVerification = await verifyDocuments({
    ...context,
    readBytes: !quick,
    before: Date.parse(manifest.begunAt) - rowDeadlineMs,
    onFinding: (finding) => void findings.push(finding),
    onProgress: (count) => onProgress(`${count} documents`),
  });
  const leftovers = findings.filter(({ fault }) => removedBySweep.has(fault)).length;
  const strays = findings.filter(({ fault }) => fault === 'orphan-blob').length;
  const faults = findings
    .filter(({ id, fault }) => !(removedBySweep.has(fault) || (fault === 'blob-missing' && excused.has(id))))
    .map(({ id, fault, detail }) => `document ${id}: ${fault}: ${detail}`);
  if (strays > maxOrphans) faults.push(`${strays} sealed documents have no row in the database: is it an older one?`);
  return { faults, documents, leftovers };
}

/** What a start demands of the ledger and its anchor, and then the whole log, up to its signed checkpoint. */
async function verifyLedger(
  { read, log, logPolicy }: TrialContext,
  anchorCopy: { readonly path: string; readonly note: string },
  { onProgress }: Pick<VerifyBackupOptions, 'onProgress'>,
) {
  const ledgerResult = (...faults: readonly string[]) => ({
    entries: 0,
    faults: faults.map((fault) => `ledger: ${fault}`),
  });
  const anchor = openAnchor(anchorCopy.path);
  const head = await readTreeHead(read);
  let anchored: Awaited<ReturnType<typeof anchor.read>>;
  try {
    anchored = await anchor.read();
    // Only a ledger that is not begun would be written.
    if (head !== undefined)
      await openTree({ read, write: () => Promise.reject(new Error('it is gone')) }, anchor, head);
  } catch (fault) {
    return ledgerResult(fault instanceof Error ? fault.message : 'it does not open');
  }
  const [policy, signed] = [await logPolicy(), await log.signedCheckpoint()];
  if (policy === undefined)
    return anchored === undefined ? ledgerResult() : ledgerResult('it has an anchor, and no entry');
  if (signed === undefined) return ledgerResult();
  if (anchored === undefined) return ledgerResult(`its anchor, ${anchorFileName}, is missing`);
  const source = {
    checkpoint: async () => signed.note,
    tile: async (name: Parameters<LogView['readTile']>[0]) => {
      const bytes = await log.readTile(name);
      if (bytes === undefined) throw new TileMissing(name.level, name.index);
      return bytes;
    },
  };
  // An anchor is written before its checkpoint is stored: a copy that was taken in between has the newer one beside it.
  const earlier = anchored.size > signed.size ? [] : [anchorCopy.note];
  const verdict = await verifyLog(source, {
    ...{ policy, earlier },
    onProgress: (done, total) => onProgress(`the ledger, ${formatCount(done)} of ${formatCount(total)} entries`),
  });
  return 'fault' in verdict ? ledgerResult(verdict.fault) : { entries: verdict.checkpoint.size, faults: [] };
}
