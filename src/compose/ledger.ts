import { hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allClients } from '../access/client-store.ts';
import { openSigningKeys, type SigningKeys } from '../access/signing-key-store.ts';
import type { Gauge } from '../api/metrics.ts';
import type { Access, House } from '../compose.ts';
import { inFolderOf, SettingError, type Settings, whyUnread } from '../config/settings.ts';
import { keepLease } from '../jobs/lease.ts';
import { repeat, soonMs } from '../jobs/repeat.ts';
import type { SigningKey } from '../keys/signing-key.ts';
import { anchorFile, openAnchor } from '../ledger/anchor.ts';
import { forgetNames } from '../ledger/erase-citizen.ts';
import { createHouseKeys, type HouseKeys } from '../ledger/house-keys.ts';
import {
  forgetWitnesses,
  keepUnwitnessed,
  readCheckpoint,
  readHead,
  type StoredCheckpoint,
  storeCheckpoint,
} from '../ledger/ledger-store.ts';
import { createLedgerWatch, type LedgerState, type LedgerWatch } from '../ledger/ledger-watch.ts';
import { createLogView, type LogView } from '../ledger/log-view.ts';
import { createMonitor, type KnownKeys, type Monitor } from '../ledger/monitor.ts';
import type { NoteSigner } from '../ledger/note.ts';
import { noteSigner, signatureTypes } from '../ledger/note-key.ts';
import { type Policy, parsePolicy, policyOf } from '../ledger/policy.ts';
import { createPublisher } from '../ledger/publisher.ts';
import { runSequencer } from '../ledger/run-sequencer.ts';
import { createSequencer } from '../ledger/sequencer.ts';
import { createWitnessClient, secondHistory } from '../ledger/witness-client.ts';
import { makeFolder } from '../store/sync-folder.ts';
import { explanations } from './identity.ts';
import { servicesOf } from './senders.ts';

/** What this process knows of the ledger: every role has it, the sequencer alone moves it. */
export type Ledger = {
  readonly view: LogView;
  readonly houseKeys: HouseKeys;
  /** The name of a new log. One that is there keeps the name that it was begun with. */
  readonly origin: string;
  readonly signers: (origin: string) => readonly NoteSigner[];
  /** The keys by which the monitor knows the log of that name. */
  readonly known: (origin: string) => KnownKeys;
  readonly witnesses: Policy | undefined;
  /** How the ledger is: looked at by every process, whether it numbers or not. */
  readonly watch: LedgerWatch;
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
export function witnessesIn({ ledgerWitnesses: path }: Settings): Policy | undefined {
  if (path === undefined) return undefined;
  try {
    return parsePolicy(readFileSync(path, 'utf8'));
  } catch (fault) {
    throw new SettingError('LEDGER_WITNESSES', `${JSON.stringify(path)}: ${whyUnread(fault)}`);
  }
}

/** Opens the reading side of the ledger. */
export function openLedger(house: House, access: Access, publicUrl: string): Ledger {
  const { db, root, citizenKeys, settings, clock, timer, log } = house;
  const houseKeys = createHouseKeys(root);
  const witnesses = witnessesIn(settings);
  const witnessed = witnesses !== undefined;
  const watch = createLedgerWatch({
    ...{ read: db.read, clock, witnessed },
    onAlarm: (kind, fault) => log.fault(kind, fault),
    onEnded: (kind) => log.notice('the ledger is well again', { kind }),
  });
  const onFault = (fault: unknown) => log.fault('ledger', fault);
  const looking = repeat({ timer, everyMs: waitingEveryMs, onFault, call: () => watch.look() });
  return {
    ...{ watch, stop: () => looking.stop() },
    view: createLogView(db.read, citizenKeys, houseKeys, { witnessed }),
    houseKeys,
    origin: `${new URL(publicUrl).host}/ledger`,
    signers: keptSigners(access.keys, settings.ledgerMlDsa),
    known: (origin) => monitorKeys(access.keys, origin),
    witnesses,
  };
}

/** The ledger in figures, for the metrics. */
export function ledgerGauges({ state }: LedgerWatch): Gauge[] {
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
    const ed25519 = { ...noteSigner(signatureTypes.ed25519, origin, seed), retireAt };
    if (!mlDsa) return [ed25519];
    // A quantum computer that finds the Ed25519 key finds its scalar, a hash of this seed, and never the seed itself.
    const mlDsaSeed = hkdfSync('sha256', seed, '', 'citizen-services/checkpoint-ml-dsa-44@v1', 32);
    const second = noteSigner(signatureTypes.mlDsaCosignature, origin, new Uint8Array(mlDsaSeed));
    return [ed25519, { ...second, retireAt }];
  });
}

function seedOf({ privateKey }: SigningKey): Buffer {
  const { d = '' } = privateKey.export({ format: 'jwk' });
  return Buffer.from(d, 'base64url');
}

/** The same, made anew only where the keys have changed: it is asked for many times a second. */
function keptSigners(keys: SigningKeys, mlDsa: boolean): Ledger['signers'] {
  let kept: { readonly of: string; readonly signers: readonly NoteSigner[] } | undefined;
  return (origin) => {
    const of = [origin, ...keys.inForce('checkpoint').map(({ key }) => key.kid)].join(' ');
    if (kept?.of !== of) kept = { of, signers: checkpointSigners(keys, origin, mlDsa) };
    return kept.signers;
  };
}

/**
 * The keys by which the monitor knows the log, retired ones among them: what is published may have been signed before its
 * key was withdrawn, until this process, and the witnesses, have come so far. That is no fault of the log.
 */
export function monitorKeys(keys: SigningKeys, origin: string): KnownKeys {
  let kept: { readonly of: string; readonly policy: Policy } | undefined;
  return {
    refresh: () => keys.reload(),
    policy: () => {
      const ever = keys.ever('checkpoint');
      const of = ever.map(({ kid }) => kid).join(' ');
      if (kept?.of !== of) {
        kept = {
          of,
          policy: policyOf(ever.map((key) => noteSigner(signatureTypes.ed25519, origin, seedOf(key)).vkey)),
        };
      }
      return kept.policy;
    },
  };
}

/** Starts the role of the sequencer: it works while this process holds the lease, and waits otherwise. */
export async function startSequencer(house: House, ledger: Ledger) {
  const { houseKeys, origin, signers } = ledger;
  const { db, clock, timer, log, settings, citizenKeys, random, claim, mint } = house;
  const onFault = (fault: unknown) => log.fault('ledger', fault);
  // On PostgreSQL nothing else has made it where root key and documents lie elsewhere.
  await inFolderOf('DATA_DIR', () => makeFolder(settings.dataDir));
  const anchor = openAnchor(join(settings.dataDir, anchorFile));
  const lease = await keepLease({
    ...{ claim, timer, leaseMs, onFault },
    ...{ name: sequencerLease, watched: sequencerLease, holder: mint('request') },
  });
  const sequencer = createSequencer({
    ...{ db, citizenKeys, houseKeys, random, anchor, origin, batchLimit },
    stopwatch: () => performance.now(),
    fence: lease.fence,
  });
  const publisher = createPublisher({ db, anchor, clock, signers });
  const running = runSequencer({ sequencer, publisher, clock, timer, batchLimit, onFault });
  const watching = watchLedger(house, ledger, () => lease.fence() !== undefined);
  const forgetting = repeat({
    ...{ timer, onFault, everyMs: 3_600_000, firstMs: soonMs(random) },
    call: () => forgetNames({ read: db.read, claim }),
  });
  return {
    stop: async () => {
      await Promise.all([running.stop(), forgetting.stop()]);
      await watching.stop();
      await lease.end({ giveBack: true });
    },
  };
}

const lookEveryMs = 1_000;
const witnessEveryMs = 10_000;

/** Starts the watchman of the log, and, in the process that leads, the asking of its witnesses. Both only ever alarm. */
function watchLedger(house: House, { view, known, witnesses, watch }: Ledger, leads: () => boolean) {
  const { db, clock, timer, log } = house;
  let monitor: Monitor | undefined;
  // A look that failed has found nothing: no alarm, which would say that somebody changed the log.
  const onFault = (fault: unknown) => log.fault('ledger', fault);
  const looking = repeat({
    ...{ timer, everyMs: lookEveryMs, onFault },
    call: async () => {
      if (monitor === undefined) {
        const origin = (await readHead(db.read))?.origin;
        if (origin === undefined) return;
        monitor = createMonitor(view, known(origin));
      }
      const { verified, alarm: wrong } = await monitor.look();
      watch.verified(verified);
      if (wrong !== undefined) watch.raise('ledger-alarm', `the monitor found: ${wrong}`);
    },
  });
  const client = witnesses === undefined ? undefined : createWitnessClient(witnesses, view, fetch);
  let forgotten = false;
  const asking = repeat({
    ...{ timer, everyMs: witnessEveryMs, onFault },
    call: async () => {
      if (!leads()) return;
      if (client === undefined) {
        if (!forgotten) await db.write(forgetWitnesses());
        forgotten = true;
        return;
      }
      const [signed, best] = [await view.signed(), await readCheckpoint(db.read, 'cosigned')];
      if (signed === undefined || isCosigned(best, signed)) return;
      if (best === undefined) await db.write([keepUnwitnessed()]);
      const { note, isQuorum, faults } = await client.collect(signed);
      for (const fault of faults) {
        if (fault.includes(secondHistory)) watch.raise('ledger-alarm', fault);
        else log.notice('a witness gave no cosignature', { fault });
      }
      if (isQuorum) {
        await db.write([storeCheckpoint('cosigned', { ...signed, note, at: clock.now() })]);
        watch.ended('ledger-witnesses');
      } else watch.raise('ledger-witnesses', `too few witnesses cosigned the log at size ${signed.size}`);
    },
  });
  return { stop: async () => void (await Promise.all([looking.stop(), asking.stop()])) };
}

/** Whether the witnesses have answered for this very note: the tree, and the keys of the log that signed it. */
function isCosigned(best: StoredCheckpoint | undefined, signed: StoredCheckpoint): boolean {
  return best?.size === signed.size && best.note.startsWith(signed.note);
}

/** The ledger for the commands of the command line, which have no address and need none. */
export function ledgerRoomOf(house: House) {
  const { db, root, clock, citizenKeys, settings } = house;
  const houseKeys = createHouseKeys(root);
  return {
    ...house,
    read: db.read,
    houseKeys,
    log: createLogView(db.read, citizenKeys, houseKeys, { witnessed: settings.ledgerWitnesses !== undefined }),
    checkpointKeys: async () => {
      const head = await readHead(db.read);
      if (head === undefined) return undefined;
      return checkpointSigners(await openSigningKeys({ db, root, clock }), head.origin, settings.ledgerMlDsa);
    },
  };
}

/** The keys by which the log of this database is known; undefined where nothing was numbered yet. */
export async function logPolicyOf({ db, root, clock }: House): Promise<Policy | undefined> {
  const head = await readHead(db.read);
  return head === undefined ? undefined : monitorKeys(await openSigningKeys({ db, root, clock }), head.origin).policy();
}

/** The same for the commands about single citizens, with the names of the organisations. */
export async function citizensRoomOf(house: House) {
  const clients = new Map((await allClients(house.db.read)).map((client) => [client.clientId, client]));
  const serviceOf = servicesOf({ clients }, house.settings);
  return {
    log: ledgerRoomOf(house).log,
    organisationOf: (clientId: string) => serviceOf(clientId).name,
    explanationOf: explanations(house),
  };
}
