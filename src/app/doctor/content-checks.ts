import { statSync } from 'node:fs';
import { join } from 'node:path';
import { allClients } from '../../auth/client-store.ts';
import { openSigningKeys } from '../../auth/signing-key-store.ts';
import { type DoctorCheck, type DoctorFinding, faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import { SettingError } from '../../config/settings.ts';
import { signingUses } from '../../crypto/signing-key.ts';
import type { ReadOnlyDatabase } from '../../db/open-read-only.ts';
import { findMissingDocuments, missingDocumentsFix, openBlobs, readOnlyBlobs } from '../../documents/open-blobs.ts';
import { loadDefaultPolicy } from '../../identity/policies/default-policy.ts';
import { anchorFileName, openAnchor } from '../../ledger/anchor.ts';
import { createLedgerHealth } from '../../ledger/ledger-health.ts';
import { readCheckpoint, readTreeHead } from '../../ledger/ledger-store.ts';
import { openTree } from '../../ledger/open-tree.ts';
import { refuseMismatchedSubkeys } from '../../ledger/refuse-mismatched-subkeys.ts';
import { createQueueMonitor } from '../../notifications/delivery/queue-monitor.ts';
import {
  CheckFailed,
  checkTimeoutMs,
  type DoctorContext,
  errorMessage,
  formatSeconds,
  isServerRunning,
  openMigratedDatabase,
  splitFix,
  withTimeout,
} from './doctor-context.ts';

type ContentCheck = (db: ReadOnlyDatabase, context: DoctorContext) => Promise<readonly DoctorFinding[]>;

/** Checks the content of the database: keys, citizens, clients, the ledger, and work that is due. */
export function contentChecks(context: DoctorContext): readonly DoctorCheck[] {
  const check = (name: string, run: ContentCheck, fix: string): DoctorCheck => ({
    name,
    run: async () => {
      const db = await openMigratedDatabase(context);
      return db === undefined ? [] : await run(db, context);
    },
    onFailure: { is: 'fault', fix },
  });
  return [
    check('root-key', checkSubkeys, 'see docs/operating.md#the-root-key'),
    check('signing-keys', checkSigningKeys, 'see docs/operating.md#signing-keys'),
    check('register', checkRegister, 'see docs/trouble.md#what-to-do-when'),
    check('clients', checkClients, 'see docs/operating.md#clients'),
    check('ledger', checkLedger, 'see docs/ledger.md#broken'),
    check('queues', checkQueues, 'see docs/trouble.md#stuck-deliveries'),
    check('documents', checkDocuments, 'see docs/trouble.md#what-to-do-when'),
  ];
}

async function checkSubkeys({ read }: ReadOnlyDatabase, { root }: DoctorContext): Promise<readonly DoctorFinding[]> {
  // The check of the root key file reports why.
  if (root === undefined) return [];
  try {
    await refuseMismatchedSubkeys(read, root);
    return [];
  } catch (fault) {
    return [faultFinding(...splitFix(errorMessage(fault), 'see docs/operating.md#the-root-key'))];
  }
}

async function checkSigningKeys(
  db: ReadOnlyDatabase,
  { root, clock }: DoctorContext,
): Promise<readonly DoctorFinding[]> {
  // The check of the root key file reports why.
  if (root === undefined) return [];
  const keys = await openSigningKeys({ db, root, clock });
  const missing = signingUses.filter((use) => keys.inForce(use).length === 0);
  if (missing.length === 0) return [okFinding(`one or more keys for each of ${signingUses.join(', ')}`)];
  const fix =
    missing.length === signingUses.length
      ? 'run `citizen-services keys create`, or correct DATA_DIR and DATABASE_URL if this is the wrong database'
      : 'stop the server and run `citizen-services keys create`';
  return [faultFinding(`no key for ${missing.join(', ')}`, fix)];
}

/** Counting more citizens would take long on a large register. */
const maxCounted = 10_000;

async function checkRegister(
  { read }: ReadOnlyDatabase,
  { settings }: DoctorContext,
): Promise<readonly DoctorFinding[]> {
  try {
    await loadDefaultPolicy({ settings, db: { read } });
  } catch (fault) {
    if (!(fault instanceof SettingError)) throw fault;
    return [faultFinding(...splitFix(fault.message, 'see docs/settings.md'))];
  }
  if (settings.registerUrl !== undefined) return [];
  const [row] = await read('select count(*) as citizens from (select citizen_id from citizen limit $1) counted', [
    maxCounted + 1,
  ]);
  const citizens = Number(row?.['citizens']);
  if (citizens === 0)
    return [warnFinding('no citizens', 'run `citizen-services import citizens FILE`; see docs/import.md')];
  return [okFinding(citizens > maxCounted ? `more than ${maxCounted} citizens` : `${citizens} citizens`)];
}

async function checkClients({ read }: ReadOnlyDatabase): Promise<readonly DoctorFinding[]> {
  const all = await allClients(read);
  const active = all.filter(({ disabledAt }) => disabledAt === undefined).length;
  if (active === 0) return [warnFinding('no active client', 'run `citizen-services clients create NAME --scopes …`')];
  return [okFinding(`${active} clients, ${all.length - active} disabled`)];
}

async function checkDocuments(
  { read }: ReadOnlyDatabase,
  { settings }: DoctorContext,
): Promise<readonly DoctorFinding[]> {
  // The check of the document store reports a path that is not a folder.
  if (statSync(settings.documentStore, { throwIfNoEntry: false })?.isDirectory() === false) return [];
  const log = { fault: () => undefined };
  const findMissing = async () =>
    await findMissingDocuments(settings, read, await openBlobs({ settings, log }, readOnlyBlobs));
  const missing = await withTimeout(checkTimeoutMs, findMissing()).catch(() => undefined);
  return missing === undefined ? [] : [faultFinding(missing, missingDocumentsFix)];
}

/** Events get their number within a second, and another process becomes the sequencer 5 s after a crash. */
const maxWaitSeconds = 30;

async function checkLedger(
  db: ReadOnlyDatabase,
  { settings, clock }: DoctorContext,
): Promise<readonly DoctorFinding[]> {
  const { read } = db;
  const anchor = openAnchor(join(settings.dataDir, anchorFileName));
  const head = await readTreeHead(read);
  const anchored = await anchor.read();
  if (head === undefined) {
    if (anchored === undefined) return [okFinding('empty: the first start creates it')];
    const found = `the database has no ledger, but this installation has signed ${anchored.size} entries`;
    return [faultFinding(found, 'check that this is the right database; see docs/ledger.md#broken')];
  }
  // `openTree` writes only to an empty ledger.
  const write = () => Promise.reject(new CheckFailed('the ledger is empty'));
  try {
    await openTree({ read, write }, anchor, head);
  } catch (fault) {
    return [faultFinding(...splitFix(errorMessage(fault), 'see docs/ledger.md#broken'))];
  }
  const health = createLedgerHealth({
    read,
    clock,
    hasWitnesses: settings.ledgerWitnesses !== undefined,
    onAlarm: () => undefined,
    onAlarmCleared: () => undefined,
  });
  await health.check();
  const { waiting, oldestSeconds, signed, cosigned } = health.state();
  if (oldestSeconds >= maxWaitSeconds) {
    const found = `${waiting} events wait for their number, the oldest for ${formatSeconds(oldestSeconds)}`;
    if (!(await isServerRunning(db))) return [warnFinding(found, 'start a server: `citizen-services start`')];
    return [
      faultFinding(found, 'check that a process with the role sequencer runs; see docs/trouble.md#ledger-alarms'),
    ];
  }
  const signedAt = (await readCheckpoint(read, 'signed'))?.at;
  const age = signedAt === undefined ? '' : `, the last ${formatSeconds((clock.now() - signedAt) / 1_000)} ago`;
  const found = `${head.size} entries, ${signed} signed${age}`;
  if (cosigned === undefined || cosigned >= signed) return [okFinding(found)];
  return [
    warnFinding(
      `${found}, ${cosigned} cosigned by the witnesses`,
      'the log of the server names the witness that fails',
    ),
  ];
}

/** The same limits as in docs/alerts.yaml. */
const maxDueSeconds = { inbox: 60, email: 600, sms: 600, letter: 600 };
const maxWebhookDueSeconds = 300;

async function checkQueues(db: ReadOnlyDatabase, { clock }: DoctorContext): Promise<readonly DoctorFinding[]> {
  const monitor = createQueueMonitor(db.read, clock);
  await monitor.refresh();
  const deliveries = [...monitor.deliveries()].map(([name, state]) => ({ name, state, limit: maxDueSeconds[name] }));
  const queues = [...deliveries, { name: 'webhooks', state: monitor.calls(), limit: maxWebhookDueSeconds }];
  const late = queues.flatMap(({ name, state, limit }) =>
    state === undefined || state.oldestSeconds <= limit
      ? []
      : [`${name}: ${state.due} due, the oldest for ${formatSeconds(state.oldestSeconds)}`],
  );
  if (late.length === 0) return [okFinding(`${queues.reduce((sum, { state }) => sum + (state?.due ?? 0), 0)} due`)];
  const fix = (await isServerRunning(db))
    ? 'check that a process with the role worker runs; see docs/trouble.md#stuck-deliveries'
    : 'start a server: `citizen-services start`';
  return [warnFinding(late.join('; '), fix)];
}
