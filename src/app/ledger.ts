import { hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Gauge } from '../api/metrics.ts';
import { allClients } from '../auth/client-store.ts';
import { openSigningKeys, type SigningKeys } from '../auth/signing-key-store.ts';
import { openFolderOfSetting, SettingError, type Settings, unreadableFileReason } from '../config/settings.ts';
import type { SigningKey } from '../crypto/signing-key.ts';
import { createSyncedFolder } from '../db/sync-folder.ts';
import { holdLease } from '../jobs/lease.ts';
import { repeatEvery, startupDelayMs } from '../jobs/repeat-every.ts';
import { anchorFileName, openAnchor } from '../ledger/anchor.ts';
import { clearErasedCitizenIds } from '../ledger/erase-citizen.ts';
import { createLedgerHealth, type LedgerHealth, type LedgerState } from '../ledger/ledger-health.ts';
import {
  deleteWitnessedCheckpoints,
  readCheckpoint,
  readTreeHead,
  type StoredCheckpoint,
  storeCheckpoint,
  storeUnwitnessedCheckpoint,
} from '../ledger/ledger-store.ts';
import { createLogView, type LogView } from '../ledger/log-view.ts';
import { createMonitor, type Monitor, type MonitorKeys } from '../ledger/monitor.ts';
import { createPublisher } from '../ledger/publisher.ts';
import { runSequencer } from '../ledger/run-sequencer.ts';
import { createSequencer } from '../ledger/sequencer.ts';
import { createSystemKeys, type SystemKeys } from '../ledger/system-keys.ts';
import type { NoteSigner } from '../ledger/tlog/note.ts';
import { createNoteSigner, signatureTypes } from '../ledger/tlog/note-key.ts';
import { parseTlogPolicy, policyWithoutWitnesses, type TlogPolicy } from '../ledger/tlog/tlog-policy.ts';
import { createWitnessClient, splitViewMarker } from '../ledger/witness-client.ts';
import type { AppContext, AuthContext } from './app-context.ts';
import { createVerificationExplainer } from './identity.ts';
import { createServiceLookup } from './senders.ts';

/** What this process knows of the ledger: every role has it, the sequencer alone moves it. */
export type LedgerView = {
  readonly view: LogView;
  readonly systemKeys: SystemKeys;
  /** The name of a new log. One that is there keeps the name that it was begun with. */
  readonly origin: string;
  readonly signers: (origin: string) => readonly NoteSigner[];
  /** The keys by which the monitor knows the log of that name. */
  readonly knownKeys: (origin: string) => MonitorKeys;
  readonly witnesses: TlogPolicy | undefined;
  /** How the ledger is: looked at by every process, whether it numbers or not. */
  readonly watch: LedgerHealth;
  stop(): Promise<void>;
};

const sequencerLease = 'ledger-sequencer';
/** How long a sequencer that is gone keeps others waiting; it may be a quarter more. */
const leaseMs = 4_000;
/** The most events in one unit: what other writers of the database wait behind. */
const batchLimit = 256;

/** How often every process looks what waits for its number. */
const waitingEveryMs = 5_000;

/** Who watches the log, as the operator's file says; a file that does not stops the start. */
export function readWitnessPolicy({ ledgerWitnesses: path }: Settings): TlogPolicy | undefined {
  if (path === undefined) return undefined;
  try {
    return parseTlogPolicy(readFileSync(path, 'utf8'));
  } catch (fault) {
    throw new SettingError('LEDGER_WITNESSES', `${JSON.stringify(path)}: ${unreadableFileReason(fault)}`);
  }
}

/** Opens the reading side of the ledger. */
export function openLedger(app: AppContext, access: AuthContext, publicUrl: string): LedgerView {
  const { db, root, citizenKeys, settings, clock, timer, log } = app;
  const systemKeys = createSystemKeys(root);
  const witnesses = readWitnessPolicy(settings);
  const hasWitnesses = witnesses !== undefined;
  const watch = createLedgerHealth({
    ...{ read: db.read, clock, hasWitnesses },
    onAlarm: (kind, fault) => log.fault(kind, fault),
    onAlarmCleared: (kind) => log.notice('the ledger is well again', { kind }),
  });
  const onFault = (fault: unknown) => log.fault('ledger', fault);
  const checking = repeatEvery({ timer, everyMs: waitingEveryMs, onFault, call: () => watch.check() });
  return {
    ...{ watch, stop: () => checking.stop() },
    view: createLogView(db.read, citizenKeys, systemKeys, { witnessed: hasWitnesses }),
    systemKeys,
    origin: `${new URL(publicUrl).host}/ledger`,
    signers: createCachedSigners(access.keys, settings.ledgerMlDsa),
    knownKeys: (origin) => monitorKeys(access.keys, origin),
    witnesses,
  };
}

/** The ledger in figures, for the metrics. */
export function ledgerGauges({ state }: LedgerHealth): Gauge[] {
  const gauge = (name: string, help: string, of: keyof LedgerState) => ({
    name: `citizen_services_ledger_${name}`,
    help,
    read: () => {
      const value = state()[of];
      return typeof value === 'number' ? value : undefined;
    },
  });
  return [
    gauge('waiting_events', 'Events that are recorded and not numbered yet, counted up to 10,000.', 'waiting'),
    gauge('oldest_waiting_seconds', 'How long the oldest of them waits.', 'oldestSeconds'),
    gauge('signed_entries', 'Entries of the newest signed checkpoint.', 'signed'),
    gauge('cosigned_entries', 'Entries of the newest checkpoint that a quorum of witnesses cosigned.', 'cosigned'),
    gauge('verified_entries', 'Entries that the monitor of this process has read and verified.', 'verified'),
  ];
}

/** A key of checkpoints as those who verify know it, and until when it signs; undefined: until it is replaced. */
export type CheckpointSigner = NoteSigner & { readonly retireAt: number | undefined };

/**
 * The keys that sign checkpoints under that name, the newest first: while one is replaced, the old one signs beside it.
 * Each with its ML-DSA-44 behind it, where that is wanted.
 */
export function checkpointSigners(keys: SigningKeys, origin: string, mlDsa: boolean): readonly CheckpointSigner[] {
  // Throws where there is none.
  keys.current('checkpoint');
  return keys.inForce('checkpoint').flatMap(({ key, retireAt }) => {
    const seed = seedOf(key);
    const ed25519 = { ...createNoteSigner(signatureTypes.ed25519, origin, seed), retireAt };
    if (!mlDsa) return [ed25519];
    // A quantum computer that finds the Ed25519 key finds its scalar, a hash of this seed, and never the seed itself.
    const mlDsaSeed = hkdfSync('sha256', seed, '', 'citizen-services/checkpoint-ml-dsa-44@v1', 32);
    const second = createNoteSigner(signatureTypes.mlDsaCosignature, origin, new Uint8Array(mlDsaSeed));
    return [ed25519, { ...second, retireAt }];
  });
}

function seedOf({ privateKey }: SigningKey): Buffer {
  const { d = '' } = privateKey.export({ format: 'jwk' });
  return Buffer.from(d, 'base64url');
}

/** The same, made anew only where the keys have changed: it is asked for many times a second. */
function createCachedSigners(keys: SigningKeys, mlDsa: boolean): LedgerView['signers'] {
  let cached: { readonly of: string; readonly signers: readonly NoteSigner[] } | undefined;
  return (origin) => {
    const of = [origin, ...keys.inForce('checkpoint').map(({ key }) => key.kid)].join(' ');
    if (cached?.of !== of) cached = { of, signers: checkpointSigners(keys, origin, mlDsa) };
    return cached.signers;
  };
}

/**
 * The keys by which the monitor knows the log, retired ones among them: what is published may have been signed before its
 * key was withdrawn, until this process, and the witnesses, have come so far. That is no fault of the log.
 */
export function monitorKeys(keys: SigningKeys, origin: string): MonitorKeys {
  let cached: { readonly of: string; readonly policy: TlogPolicy } | undefined;
  return {
    refresh: () => keys.reload(),
    policy: () => {
      const ever = keys.allKeys('checkpoint');
      const of = ever.map(({ kid }) => kid).join(' ');
      if (cached?.of !== of) {
        cached = {
          of,
          policy: policyWithoutWitnesses(
            ever.map((key) => createNoteSigner(signatureTypes.ed25519, origin, seedOf(key)).vkey),
          ),
        };
      }
      return cached.policy;
    },
  };
}

/** Starts the role of the sequencer: it works while this process holds the lease, and waits otherwise. */
export async function startSequencer(app: AppContext, ledger: LedgerView) {
  const { systemKeys, origin, signers } = ledger;
  const { db, clock, timer, log, settings, citizenKeys, random, claim, mint } = app;
  const onFault = (fault: unknown) => log.fault('ledger', fault);
  // On PostgreSQL nothing else has made it where root key and documents lie elsewhere.
  await openFolderOfSetting('DATA_DIR', () => createSyncedFolder(settings.dataDir));
  const anchor = openAnchor(join(settings.dataDir, anchorFileName));
  const lease = await holdLease({
    ...{ claim, timer, leaseMs, onFault },
    ...{ name: sequencerLease, watchedPattern: sequencerLease, holder: mint('request') },
  });
  const sequencer = createSequencer({
    ...{ db, citizenKeys, systemKeys, random, anchor, origin, maxBatchEvents: batchLimit },
    stopwatch: () => performance.now(),
    fence: lease.fence,
  });
  const publisher = createPublisher({ db, anchor, clock, signers });
  const running = runSequencer({ sequencer, publisher, clock, timer, batchLimit, onFault });
  const monitoring = startLedgerMonitor(app, ledger, () => lease.fence() !== undefined);
  const cleanup = repeatEvery({
    ...{ timer, onFault, everyMs: 3_600_000, firstMs: startupDelayMs(random) },
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

const lookEveryMs = 1_000;
const witnessEveryMs = 10_000;

/** Starts the watchman of the log, and, in the process that leads, the asking of its witnesses. Both only ever alarm. */
function startLedgerMonitor(
  app: AppContext,
  { view, knownKeys, witnesses, watch }: LedgerView,
  isLeader: () => boolean,
) {
  const { db, clock, timer, log } = app;
  let monitor: Monitor | undefined;
  // A look that failed has found nothing: no alarm, which would say that somebody changed the log.
  const onFault = (fault: unknown) => log.fault('ledger', fault);
  const monitoring = repeatEvery({
    ...{ timer, everyMs: lookEveryMs, onFault },
    call: async () => {
      if (monitor === undefined) {
        const origin = (await readTreeHead(db.read))?.origin;
        if (origin === undefined) return;
        monitor = createMonitor(view, knownKeys(origin));
      }
      const { verified, alarm } = await monitor.check();
      watch.recordVerified(verified);
      if (alarm !== undefined) watch.raiseAlarm('ledger-alarm', `the monitor found: ${alarm}`);
    },
  });
  const client = witnesses === undefined ? undefined : createWitnessClient(witnesses, view, fetch);
  let forgotten = false;
  const witnessing = repeatEvery({
    ...{ timer, everyMs: witnessEveryMs, onFault },
    call: async () => {
      if (!isLeader()) return;
      if (client === undefined) {
        if (!forgotten) await db.write(deleteWitnessedCheckpoints());
        forgotten = true;
        return;
      }
      const [signed, cosigned] = [await view.signedCheckpoint(), await readCheckpoint(db.read, 'cosigned')];
      if (signed === undefined || isCosigned(cosigned, signed)) return;
      if (cosigned === undefined) await db.write([storeUnwitnessedCheckpoint()]);
      const { note, isQuorum, faults } = await client.collect(signed);
      for (const fault of faults) {
        if (fault.includes(splitViewMarker)) watch.raiseAlarm('ledger-alarm', fault);
        else log.notice('a witness gave no cosignature', { fault });
      }
      if (isQuorum) {
        await db.write([storeCheckpoint('cosigned', { ...signed, note, at: clock.now() })]);
        watch.clearAlarm('ledger-witnesses');
      } else watch.raiseAlarm('ledger-witnesses', `too few witnesses cosigned the log at size ${signed.size}`);
    },
  });
  return { stop: async () => void (await Promise.all([monitoring.stop(), witnessing.stop()])) };
}

/** Whether the witnesses have answered for this very note: the tree, and the keys of the log that signed it. */
function isCosigned(cosigned: StoredCheckpoint | undefined, signed: StoredCheckpoint): boolean {
  return cosigned?.size === signed.size && cosigned.note.startsWith(signed.note);
}

/** The ledger for the commands of the command line, which have no address and need none. */
export function createLedgerContext(app: AppContext) {
  const { db, root, clock, citizenKeys, settings } = app;
  const systemKeys = createSystemKeys(root);
  return {
    ...app,
    read: db.read,
    houseKeys: systemKeys,
    log: createLogView(db.read, citizenKeys, systemKeys, { witnessed: settings.ledgerWitnesses !== undefined }),
    checkpointKeys: async () => {
      const head = await readTreeHead(db.read);
      if (head === undefined) return undefined;
      return checkpointSigners(await openSigningKeys({ db, root, clock }), head.origin, settings.ledgerMlDsa);
    },
  };
}

/** The keys by which the log of this database is known; undefined where nothing was numbered yet. */
export async function loadLogPolicy({ db, root, clock }: AppContext): Promise<TlogPolicy | undefined> {
  const head = await readTreeHead(db.read);
  return head === undefined ? undefined : monitorKeys(await openSigningKeys({ db, root, clock }), head.origin).policy();
}

/** The same for the commands about single citizens, with the names of the organisations. */
export async function createCitizensContext(app: AppContext) {
  const clients = new Map((await allClients(app.db.read)).map((client) => [client.clientId, client]));
  const serviceOf = createServiceLookup({ clients }, app.settings);
  return {
    log: createLedgerContext(app).log,
    organisationOf: (clientId: string) => serviceOf(clientId).name,
    explanationOf: createVerificationExplainer(app),
  };
}
