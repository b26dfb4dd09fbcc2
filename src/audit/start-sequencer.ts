import { join } from 'node:path';
import type { SliceDeps } from '../api/slice.ts';
import { openFolderOfSetting } from '../config/settings.ts';
import { createSyncedFolder } from '../db/sync-folder.ts';
import { holdLease } from '../jobs/lease.ts';
import { repeatEvery, startupDelayMs } from '../jobs/repeat-every.ts';
import { deleteAlarm, type StoredAlarm, storeAlarm } from '../ledger/alarm-store.ts';
import { type Anchor, anchorFileName, openAnchor } from '../ledger/anchor.ts';
import { clearErasedCitizenIds } from '../ledger/erase-citizen.ts';
import {
  deleteWitnessedCheckpoints,
  readCheckpoint,
  readTreeHead,
  type StoredCheckpoint,
  storeCheckpoint,
  storeUnwitnessedCheckpoint,
} from '../ledger/ledger-store.ts';
import { createMonitor, type Monitor } from '../ledger/monitor.ts';
import { createPublisher } from '../ledger/publisher.ts';
import { runSequencer } from '../ledger/run-sequencer.ts';
import { createSequencer } from '../ledger/sequencer.ts';
import { createWitnessClient, splitViewMarker } from '../ledger/witness-client.ts';
import type { LedgerView } from './open-ledger.ts';

const sequencerLease = 'ledger-sequencer';
/** How long others wait for a sequencer that has died; up to a quarter longer. */
const leaseMs = 4_000;
/** The most events in one unit, since other writers of the database wait for it. */
const batchLimit = 256;

/** Starts the sequencer role: it numbers events while this process holds the lease, and waits otherwise. */
export async function startSequencer(deps: SliceDeps, ledger: LedgerView) {
  const { systemKeys, origin, signers } = ledger;
  const { db, clock, timer, log, settings, citizenKeys, random, claim, createId } = deps;
  const onFault = (fault: unknown) => log.fault('ledger', fault);
  // On PostgreSQL, nothing else creates the folder if the root key and the documents are elsewhere.
  await openFolderOfSetting('DATA_DIR', () => createSyncedFolder(settings.dataDir));
  const anchor = openAnchor(join(settings.dataDir, anchorFileName));
  const lease = await holdLease({
    claim,
    timer,
    leaseMs,
    onFault,
    name: sequencerLease,
    watchedPattern: sequencerLease,
    holder: createId('request'),
  });
  const sequencer = createSequencer({
    db,
    citizenKeys,
    systemKeys,
    random,
    anchor,
    origin,
    maxBatchEvents: batchLimit,
    stopwatch: () => performance.now(),
    fence: lease.fence,
  });
  const publisher = createPublisher({ db, anchor, clock, signers });
  const running = runSequencer({ sequencer, publisher, clock, timer, batchLimit, onFault });
  const monitoring = startLedgerMonitor(deps, ledger, anchor, () => lease.fence() !== undefined);
  const cleanup = repeatEvery({
    timer,
    onFault,
    everyMs: 3_600_000,
    firstMs: startupDelayMs(random),
    call: () => clearErasedCitizenIds({ read: db.read, claim }),
  });
  return {
    stop: async () => {
      await Promise.all([running.stop(), cleanup.stop()]);
      await monitoring.stop();
      await lease.stop({ release: true });
    },
  };
}

const monitorEveryMs = 1_000;
const witnessEveryMs = 10_000;

/** Starts the monitor of the log and, while this process holds the lease, the requests to its witnesses. */
function startLedgerMonitor(deps: SliceDeps, ledger: LedgerView, anchor: Anchor, isLeader: () => boolean) {
  const monitoring = startMonitoring(deps, ledger, anchor);
  const witnessing = startWitnessing(deps, ledger, isLeader);
  return { stop: async () => void (await Promise.all([monitoring.stop(), witnessing.stop()])) };
}

/**
 * Returns a function that raises an alarm in this process, and stores it for the staff pages of all processes, again each minute while it
 * lasts.
 */
function createStoredAlarms({ db }: SliceDeps, watch: LedgerView['watch']) {
  return async (kind: StoredAlarm, message: string): Promise<void> => {
    if (watch.raiseAlarm(kind, message)) await db.write([storeAlarm(kind)]);
  };
}

/**
 * Verifies the log each second, and keeps what is verified in the checkpoint file, even while another process leads. It deletes the
 * stored alarm of an earlier start after it has verified the whole log.
 */
function startMonitoring(deps: SliceDeps, { view, knownKeys, watch }: LedgerView, anchor: Anchor) {
  const { db, timer, log } = deps;
  const raiseAlarm = createStoredAlarms(deps, watch);
  let monitor: Monitor | undefined;
  let sizeAtStart: number | undefined;
  let isEarlierAlarmDeleted = false;
  // A failed check is not an alarm: an alarm means that the log was changed.
  const onFault = (fault: unknown) => log.fault('ledger', fault);
  return repeatEvery({
    timer,
    everyMs: monitorEveryMs,
    onFault,
    call: async () => {
      if (monitor === undefined) {
        const origin = (await readTreeHead(db.read))?.origin;
        if (origin === undefined) return;
        monitor = createMonitor(view, knownKeys(origin), anchor);
      }
      sizeAtStart ??= (await view.publishedCheckpoint())?.size;
      const { verified, alarm } = await monitor.check();
      watch.recordVerified(verified);
      if (alarm !== undefined) await raiseAlarm('ledger-alarm', `the monitor found: ${alarm}`);
      if (isEarlierAlarmDeleted || sizeAtStart === undefined || verified < sizeAtStart) return;
      if (watch.state().alarms.includes('ledger-alarm')) return;
      await db.write([deleteAlarm('ledger-alarm')]);
      isEarlierAlarmDeleted = true;
    },
  });
}

/** Asks the witnesses for cosignatures while this process holds the lease. */
function startWitnessing(deps: SliceDeps, { view, witnesses, watch }: LedgerView, isLeader: () => boolean) {
  const { db, clock, timer, log } = deps;
  const raiseAlarm = createStoredAlarms(deps, watch);
  const client = witnesses === undefined ? undefined : createWitnessClient(witnesses, view, fetch);
  let areDeleted = false;
  return repeatEvery({
    timer,
    everyMs: witnessEveryMs,
    onFault: (fault: unknown) => log.fault('ledger', fault),
    call: async () => {
      if (!isLeader()) return;
      if (client === undefined) {
        if (!areDeleted) await db.write([...deleteWitnessedCheckpoints(), deleteAlarm('ledger-witnesses')]);
        areDeleted = true;
        return;
      }
      const [signed, cosigned] = [await view.signedCheckpoint(), await readCheckpoint(db.read, 'cosigned')];
      if (signed === undefined || isCosigned(cosigned, signed)) return;
      if (cosigned === undefined) await db.write([storeUnwitnessedCheckpoint()]);
      const { note, isQuorum, faults } = await client.collect(signed);
      for (const fault of faults) {
        if (fault.includes(splitViewMarker)) await raiseAlarm('ledger-alarm', fault);
        else log.notice('a witness did not cosign the checkpoint', { fault });
      }
      if (isQuorum) {
        const checkpoint = { ...signed, note, at: clock.now() };
        await db.write([storeCheckpoint('cosigned', checkpoint), deleteAlarm('ledger-witnesses')]);
        watch.clearAlarm('ledger-witnesses');
      } else await raiseAlarm('ledger-witnesses', `too few witnesses cosigned the log at size ${signed.size}`);
    },
  });
}

/** Whether the witnesses cosigned this note: the same tree, signed by the same keys of the log. */
function isCosigned(cosigned: StoredCheckpoint | undefined, signed: StoredCheckpoint): boolean {
  return cosigned?.size === signed.size && cosigned.note.startsWith(signed.note);
}
