import { join } from 'node:path';
import { allClients } from '../../auth/client-store.ts';
import { openSigningKeys } from '../../auth/signing-key-store.ts';
import { type DoctorFinding, type DoctorFindings, faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import { formatSeconds } from '../../cli/progress.ts';
import { signingUses } from '../../crypto/signing-key.ts';
import type { ReadOnlyDatabase } from '../../db/open-read-only.ts';
import { loadDefaultPolicy } from '../../identity/policies/default-policy.ts';
import { anchorFileName, openAnchor } from '../../ledger/anchor.ts';
import { erasedListFileName, erasuresMissingIn, openErasedList, readErasures } from '../../ledger/erased-list.ts';
import { createLedgerHealth } from '../../ledger/ledger-health.ts';
import { readCheckpoint, readTreeHead } from '../../ledger/ledger-store.ts';
import { openTree } from '../../ledger/open-tree.ts';
import { refuseMismatchedSubkeys } from '../../ledger/refuse-mismatched-subkeys.ts';
import { createQueueMonitor } from '../../notifications/delivery/queue-monitor.ts';
import { CheckFailed, type DoctorContext, openMigratedDatabase } from './doctor-context.ts';

type ContentCheck = (db: ReadOnlyDatabase, context: DoctorContext) => Promise<DoctorFindings>;

/** Runs a check of the content if the database has the schema of this program. */
export async function onMigratedDatabase(context: DoctorContext, check: ContentCheck): Promise<DoctorFindings> {
  const db = await openMigratedDatabase(context);
  return db === undefined ? undefined : await check(db, context);
}

/** Checks that the root key file has the subkeys that this database was sealed with. */
export async function checkSubkeys({ read }: ReadOnlyDatabase, { root }: DoctorContext): Promise<undefined> {
  if (root !== undefined) await refuseMismatchedSubkeys(read, root);
}

/** Checks that there is a key for each use. */
export async function checkSigningKeys(db: ReadOnlyDatabase, { root, clock }: DoctorContext): Promise<DoctorFindings> {
  if (root === undefined) return undefined;
  const keys = await openSigningKeys({ db, root, clock });
  const missing = signingUses.filter((use) => keys.inForce(use).length === 0);
  if (missing.length === 0) return okFinding(`one or more keys for each of ${signingUses.join(', ')}`);
  const fix =
    missing.length === signingUses.length
      ? 'run `citizen-services keys create`, or correct DATA_DIR and DATABASE_URL if this is the wrong database'
      : 'stop the server and run `citizen-services keys create`';
  return faultFinding(`no key for ${missing.join(', ')}`, fix);
}

/** Counting more citizens would take long on a large register. */
const maxCounted = 10_000;

/** Checks the default policy, and counts the citizens of the own register. */
export async function checkRegister({ read }: ReadOnlyDatabase, { settings }: DoctorContext): Promise<DoctorFindings> {
  await loadDefaultPolicy({ settings, db: { read } });
  if (settings.registerUrl !== undefined) return undefined;
  const [row] = await read('select count(*) as citizens from (select citizen_id from citizen limit $1) counted', [
    maxCounted + 1,
  ]);
  const citizens = Number(row?.['citizens']);
  if (citizens === 0)
    return warnFinding('no citizens', 'run `citizen-services citizens import FILE`; see docs/operate/import.md');
  return okFinding(citizens > maxCounted ? `more than ${maxCounted} citizens` : `${citizens} citizens`);
}

/** Counts the clients. */
export async function checkClients({ read }: ReadOnlyDatabase): Promise<DoctorFinding> {
  const all = await allClients(read);
  const active = all.filter(({ disabledAt }) => disabledAt === undefined).length;
  if (active === 0) return warnFinding('no active client', 'run `citizen-services clients create NAME --scopes …`');
  return okFinding(`${active} clients, ${all.length - active} disabled`);
}

/** Whether a server runs on this database. A server that crashed holds its leases too, until they expire. */
async function isServerRunning({ read }: ReadOnlyDatabase): Promise<boolean> {
  return (await read("select name from lease where holder <> '' limit 1")).length > 0;
}

const startServer = 'start a server: `citizen-services start`';
/** Events get their number within a second, and another process becomes the sequencer 5 s after a crash. */
const maxWaitSeconds = 30;

/** Checks the ledger as a start does, and how long events wait for their number and for their signature. */
export async function checkLedger(db: ReadOnlyDatabase, { settings, clock }: DoctorContext): Promise<DoctorFinding> {
  const { read } = db;
  const anchor = openAnchor(join(settings.dataDir, anchorFileName));
  const head = await readTreeHead(read);
  if (head === undefined) {
    const anchored = await anchor.read();
    if (anchored === undefined) return okFinding('empty: the first start creates it');
    const found = `the database has no ledger, but this installation has signed ${anchored.size} entries`;
    return faultFinding(found, 'check that this is the right database; see docs/security/ledger.md#broken');
  }
  // `openTree` writes only to an empty ledger.
  const write = () => Promise.reject(new CheckFailed('the ledger is empty'));
  await openTree({ read, write }, anchor, head);
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
    if (!(await isServerRunning(db))) return warnFinding(found, startServer);
    return faultFinding(
      found,
      'check that a process with the role sequencer runs; see docs/operate/troubleshooting.md#ledger-alarms',
    );
  }
  const signedAt = (await readCheckpoint(read, 'signed'))?.at;
  const age = signedAt === undefined ? '' : `, the last ${formatSeconds((clock.now() - signedAt) / 1_000)} ago`;
  const found = `${head.size} entries, ${signed} signed${age}`;
  if (cosigned === undefined || cosigned >= signed) return okFinding(found);
  return warnFinding(
    `${found}, ${cosigned} cosigned by the witnesses`,
    'find the witness that fails in the server log',
  );
}

/** Checks that the citizens on the list of erased citizens are erased in this database, and that the list is complete. */
export async function checkErasures({ read }: ReadOnlyDatabase, { settings }: DoctorContext): Promise<DoctorFinding> {
  const path = join(settings.dataDir, erasedListFileName);
  const [{ erasures: listed, damagedLines }, stored] = [await openErasedList(path).read(), await readErasures(read)];
  const [unfinished, unlisted] = [erasuresMissingIn(stored, listed).length, erasuresMissingIn(listed, stored).length];
  if (unfinished > 0) {
    const found = `${path} lists citizens who are not erased in this database (${unfinished}), for example because a backup was restored`;
    return faultFinding(found, `${startServer}. It erases them again, except under a legal hold`);
  }
  if (damagedLines > 0)
    return warnFinding(
      `${path} has ${damagedLines} damaged lines`,
      'compare it with your copy, and add the missing lines',
    );
  if (unlisted > 0)
    return warnFinding(`${unlisted} erasures are not on the list ${path}`, `${startServer}. It adds them`);
  return okFinding(`${listed.size} erased citizens`);
}

/** The same limits as in docs/alerts.yaml. */
const maxDueSeconds = { inbox: 60, email: 600, sms: 600, letter: 600 };
const maxWebhookDueSeconds = 300;

/** Checks how long deliveries and webhook calls are due. */
export async function checkQueues(db: ReadOnlyDatabase, { clock }: DoctorContext): Promise<DoctorFinding> {
  const monitor = createQueueMonitor(db.read, clock);
  await monitor.refresh();
  const deliveries = [...monitor.deliveries()].map(([name, state]) => ({ name, state, limit: maxDueSeconds[name] }));
  const queues = [...deliveries, { name: 'webhooks', state: monitor.calls(), limit: maxWebhookDueSeconds }];
  const late = queues.flatMap(({ name, state, limit }) =>
    state === undefined || state.oldestSeconds <= limit
      ? []
      : [`${name}: ${state.due} due, the oldest for ${formatSeconds(state.oldestSeconds)}`],
  );
  if (late.length === 0) return okFinding(`${queues.reduce((sum, { state }) => sum + (state?.due ?? 0), 0)} due`);
  const checkWorker =
    'check that a process with the role worker runs; see docs/operate/troubleshooting.md#stuck-deliveries';
  return warnFinding(late.join('; '), (await isServerRunning(db)) ? checkWorker : startServer);
}
