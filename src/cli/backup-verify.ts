import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import type { Read } from '../db/database.ts';
import { databaseFile } from '../db/open-database.ts';
import { readRowPages } from '../db/row-pages.ts';
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
import { CommandFailed, messageOf } from './command.ts';
import type { DocumentsContext } from './documents.ts';
import { formatCount } from './progress.ts';

/** The opened installation of a trial restore. */
type TrialContext = Pick<DocumentsContext, 'ports'> & {
  readonly read: Read;
  readonly citizenKeys: Pick<CitizenKeys, 'preload'>;
  readonly log: LogView;
  /** The name and the keys of the log; undefined if it has no entries yet. */
  readonly logPolicy: () => Promise<TlogPolicy | undefined>;
};

/** Opens the installation in the settings with the root key in a file, and migrates it to this program. */
export type WithTrial = <T>(
  settings: Settings,
  rootKey: string,
  use: (context: TrialContext) => Promise<T>,
) => Promise<T>;

type VerifyBackupOptions = {
  readonly folder: string;
  /** An empty folder for the trial restore of the database. The caller removes its content. */
  readonly scratch: string;
  /** Reads only the record and the last chunk of each document. */
  readonly quick: boolean;
  readonly rootKey: string;
  readonly withTrial: WithTrial;
  readonly onProgress: (step: string) => void;
  /** Aborts the trial. */
  readonly stopped: AbortSignal;
};

/** The result of a trial. It can be restored if there are no faults. */
type BackupReport = {
  readonly manifest: BackupManifest;
  readonly faults: readonly string[];
  readonly citizens: number;
  readonly documents: number;
  readonly entries: number;
  /** Blobs without a document, such as from interrupted uploads: a restored server removes them. */
  readonly leftovers: number;
};

/**
 * Restores a backup for a trial: copies the database, and reads the documents in the backup. Then it checks what a restored
 * server needs: the database is not damaged, this program can migrate it, the root key opens the key of every citizen, every
 * document can be decrypted to its last byte, and the ledger matches its anchor and its signed checkpoint.
 */
export async function verifyBackup(settings: Settings, options: VerifyBackupOptions): Promise<BackupReport> {
  const { folder, withTrial } = options;
  const manifest = await readVerifiedManifest(folder, options.rootKey);
  const none = { manifest, citizens: 0, documents: 0, entries: 0, leftovers: 0 };
  // Before any document is opened: opening a pipe would never end.
  const listing = manifest.documents === null ? undefined : await listBackupDocuments(join(folder, documentsFolder));
  const difference = listing === undefined ? undefined : documentsDifference(listing, manifest);
  options.onProgress('the database');
  const database = join(options.scratch, databaseFile);
  const differs = await extractDatabase(folder, manifest, { to: database, stopped: options.stopped });
  if (differs !== undefined) return { ...none, faults: [differs] };
  const anchorResult = await readBackupAnchor(folder, manifest);
  if ('differs' in anchorResult) return { ...none, faults: [anchorResult.differs] };
  options.onProgress('the integrity of the database');
  const damage = await checkIntegrity(database, options.stopped);
  if (damage.length > 0) return { ...none, faults: damage.map((fault) => `database: ${fault}`) };
  // Documents in S3 are not checked, so the trial needs no S3 keys.
  const documentStore = join(manifest.documents === null ? options.scratch : folder, documentsFolder);
  const restored = { ...settings, databaseUrl: undefined, dataDir: options.scratch, documentStore };
  return await withTrial(restored, options.rootKey, async (context) => {
    const { faults, ...counts } = await verifyRestored(context, { manifest, anchor: anchorResult.anchor }, options);
    return { manifest, ...counts, faults: difference === undefined ? faults : [...faults, difference] };
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

/** Unwraps the key of every citizen with the root key. */
async function verifyCitizenKeys({
  read,
  citizenKeys,
}: TrialContext): Promise<{ citizens: number } | { fault: string }> {
  let citizens = 0;
  const sql = 'select citizen_id from citizen_key where citizen_id > $1 order by citizen_id limit $2';
  for await (const rows of readRowPages(read, sql, { key: 'citizen_id' })) {
    const ids = rows.map((row) => String(row['citizen_id']));
    try {
      await citizenKeys.preload(ids);
    } catch (fault) {
      return { fault: `the root key does not open the keys of all citizens: ${messageOf(fault)}` };
    }
    citizens += ids.length;
  }
  return { citizens };
}

/** A restored server removes these. Only more of them than interrupted uploads leave is a fault. */
const removedBySweep: ReadonlySet<DocumentFinding['fault']> = new Set(['orphan-blob', 'erased-blob-left']);

async function verifyBackupDocuments(
  context: TrialContext,
  manifest: BackupManifest,
  { quick, onProgress }: VerifyBackupOptions,
) {
  // The documents in S3 are not part of the backup and have changed since.
  if (manifest.documents === null) return { faults: [], documents: 0, leftovers: 0 };
  const erasedMeanwhile = new Set(manifest.erasedMeanwhile);
  const findings: DocumentFinding[] = [];
  const { documents }: DocumentVerification = await verifyDocuments({
    ...context,
    readBytes: !quick,
    before: Date.parse(manifest.begunAt) - rowDeadlineMs,
    onFinding: (finding) => void findings.push(finding),
    onProgress: (count) => onProgress(`${count} documents`),
  });
  const leftovers = findings.filter(({ fault }) => removedBySweep.has(fault)).length;
  const orphans = findings.filter(({ fault }) => fault === 'orphan-blob').length;
  const faults = findings
    .filter(({ id, fault }) => !(removedBySweep.has(fault) || (fault === 'blob-missing' && erasedMeanwhile.has(id))))
    .map(({ id, fault, detail }) => `document ${id}: ${fault}: ${detail}`);
  if (orphans > maxOrphans)
    faults.push(`${orphans} documents have no row in the database: it may be older than the documents`);
  return { faults, documents, leftovers };
}

/** Checks the ledger and its anchor as a start does, then the whole log up to its signed checkpoint. */
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
    // `openTree` writes only to an empty ledger.
    if (head !== undefined)
      await openTree(
        { read, write: () => Promise.reject(new CommandFailed('the ledger has no entries')) },
        anchor,
        head,
      );
  } catch (fault) {
    return ledgerResult(messageOf(fault));
  }
  const [policy, signed] = [await logPolicy(), await log.signedCheckpoint()];
  if (policy === undefined)
    return anchored === undefined ? ledgerResult() : ledgerResult('expected the entries of its anchor, found none');
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
  // The anchor is written before its checkpoint is stored, so a copy taken in between has a newer anchor.
  const earlier = anchored.size > signed.size ? [] : [anchorCopy.note];
  const verdict = await verifyLog(source, {
    policy,
    earlier,
    onProgress: (done, total) => onProgress(`the ledger, ${formatCount(done)} of ${formatCount(total)} entries`),
  });
  return 'fault' in verdict ? ledgerResult(verdict.fault) : { entries: verdict.checkpoint.size, faults: [] };
}
