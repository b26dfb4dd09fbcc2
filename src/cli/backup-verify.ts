import { constants, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { type Finding, type Verified, verifyDocuments } from '../documents/verify-documents.ts';
import { anchorFile } from '../ledger/anchor.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import type { LogView } from '../ledger/log-view.ts';
import type { Policy } from '../ledger/policy.ts';
import { readIfThere } from '../ledger/synced-file.ts';
import { TileMissing } from '../ledger/tree.ts';
import { verifyLog } from '../ledger/verify-log.ts';
import { faultsOfDatabase } from '../store/database-copy.ts';
import type { Read } from '../store/db.ts';
import { databaseFile } from '../store/open.ts';
import { databaseFault, documentsFolder, type Manifest, readManifest } from './backup-folder.ts';
import type { DocumentsRoom } from './documents.ts';

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
};

export type BackupVerdict = {
  readonly manifest: Manifest;
  readonly faults: readonly string[];
  readonly citizens: number;
  readonly documents: number;
  readonly entries: number;
};

/**
 * Restores a backup on trial: the database as a copy, the documents where they lie. Then everything is read that a restored
 * server would need: the database is sound, this program can migrate it, the root key opens every key of a citizen, every
 * document opens to its last byte, and the ledger leads to its signed root, and from that to the anchor.
 */
export async function verifyBackup(settings: Settings, options: VerifyOptions): Promise<BackupVerdict> {
  const { folder, openTrial } = options;
  const manifest = await readManifest(folder);
  const none = { manifest, citizens: 0, documents: 0, entries: 0 };
  options.onProgress('the database');
  const differs = await databaseFault(manifest, join(folder, databaseFile));
  if (differs !== undefined) return { ...none, faults: [differs] };
  const database = join(options.scratch, databaseFile);
  await copyFile(join(folder, databaseFile), database, constants.COPYFILE_FICLONE);
  const broken = faultsOfDatabase(database);
  if (broken.length > 0) return { ...none, faults: broken.map((fault) => `database: ${fault}`) };
  const documentStore = manifest.documents === null ? settings.documentStore : join(folder, documentsFolder);
  const restored = { ...settings, databaseUrl: undefined, dataDir: options.scratch, documentStore };
  return await openTrial(restored, options.rootKey, async (room) => {
    return { manifest, ...(await verifyRestored(room, manifest, options)) };
  });
}

async function verifyRestored(room: TrialRoom, manifest: Manifest, options: VerifyOptions) {
  options.onProgress('the keys of the citizens');
  const keys = await verifyKeys(room);
  if ('fault' in keys) return { faults: [keys.fault], citizens: 0, documents: 0, entries: 0 };
  const documents = await verifyItsDocuments(room, manifest, options);
  options.onProgress('the ledger');
  const ledger = await verifyLedger(room, (await readIfThere(join(options.folder, anchorFile)))?.toString());
  const faults = [...documents.faults, ...ledger.faults];
  return { faults, citizens: keys.citizens, documents: documents.documents, entries: ledger.entries };
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

async function verifyItsDocuments(room: TrialRoom, manifest: Manifest, { quick, onProgress }: VerifyOptions) {
  // In S3 there may be more by now, and less: what a backup leaves out it cannot answer for.
  if (manifest.documents === null) return { faults: [], documents: 0 };
  const excused = new Set(manifest.erasedMeanwhile);
  const findings: Finding[] = [];
  const { documents }: Verified = await verifyDocuments({
    ...room,
    readBytes: !quick,
    before: Date.parse(manifest.begunAt),
    onFinding: (finding) => void findings.push(finding),
    onProgress: (count) => onProgress(`${count} documents`),
  });
  const faults = findings
    .filter(({ id, fault }) => !(fault === 'blob-missing' && excused.has(id)))
    .map(({ id, fault, detail }) => `document ${id}: ${fault}: ${detail}`);
  return { faults, documents };
}

/** The whole log of the database, up to its checkpoint, and its beginning up to the anchor. */
async function verifyLedger({ log, logPolicy }: TrialRoom, anchor: string | undefined) {
  const [policy, signed] = [await logPolicy(), await log.signed()];
  if (policy === undefined || signed === undefined) {
    return { entries: 0, faults: anchor === undefined ? [] : ['ledger: it has an anchor, and no signed checkpoint'] };
  }
  const source = {
    checkpoint: async () => signed.note,
    tile: async (name: Parameters<LogView['tile']>[0]) => {
      const bytes = await log.tile(name);
      if (bytes === undefined) throw new TileMissing(name.level, name.index);
      return bytes;
    },
  };
  const verdict = await verifyLog(source, { policy, earlier: anchor === undefined ? [] : [anchor] });
  return 'fault' in verdict
    ? { entries: 0, faults: [`ledger: ${verdict.fault}`] }
    : { entries: verdict.checkpoint.size, faults: [] };
}
