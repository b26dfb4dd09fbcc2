import { readFileSync } from 'node:fs';
import type { SliceDeps } from '../api/slice.ts';
import type { SigningKeys } from '../auth/signing-key-store.ts';
import { SettingError, type Settings, unreadableFileReason } from '../config/settings.ts';
import { repeatEvery } from '../jobs/repeat-every.ts';
import { createCachedSigners, monitorKeys } from '../ledger/checkpoint-keys.ts';
import { createLedgerHealth, type LedgerHealth } from '../ledger/ledger-health.ts';
import { createLogView, type LogView } from '../ledger/log-view.ts';
import type { MonitorKeys } from '../ledger/monitor.ts';
import { createSystemKeys, type SystemKeys } from '../ledger/system-keys.ts';
import type { NoteSigner } from '../ledger/tlog/note.ts';
import { parseTlogPolicy, type TlogPolicy } from '../ledger/tlog/tlog-policy.ts';

/** The ledger as a process knows it. Every role reads it; only the sequencer appends. */
export type LedgerView = {
  readonly view: LogView;
  readonly systemKeys: SystemKeys;
  /** The name of a new log. An existing log keeps the name that it was started with. */
  readonly origin: string;
  readonly signers: (origin: string) => readonly NoteSigner[];
  /** The keys by which the monitor knows the log of that name. */
  readonly knownKeys: (origin: string) => MonitorKeys;
  readonly witnesses: TlogPolicy | undefined;
  /** The state of the ledger. Every process checks it, whether it numbers events or not. */
  readonly watch: LedgerHealth;
  stop(): Promise<void>;
};

/** How often every process checks how many events wait for their number. */
const waitingEveryMs = 5_000;

/** The witnesses of the log, by the operator's file. A file that cannot be used ends the start. */
export function readWitnessPolicy({ ledgerWitnesses: path }: Settings): TlogPolicy | undefined {
  if (path === undefined) return undefined;
  try {
    return parseTlogPolicy(readFileSync(path, 'utf8'));
  } catch (fault) {
    throw new SettingError('LEDGER_WITNESSES', `${JSON.stringify(path)}: ${unreadableFileReason(fault)}`);
  }
}

/** Opens the reading side of the ledger. */
export function openLedger(deps: SliceDeps, keys: SigningKeys, publicUrl: string): LedgerView {
  const { db, root, citizenKeys, settings, clock, timer, log } = deps;
  const systemKeys = createSystemKeys(root);
  const witnesses = readWitnessPolicy(settings);
  const hasWitnesses = witnesses !== undefined;
  const watch = createLedgerHealth({
    read: db.read,
    clock,
    hasWitnesses,
    onAlarm: (kind, fault) => log.fault(kind, fault),
    onAlarmCleared: (kind) => log.notice('the ledger is well again', { kind }),
  });
  const onFault = (fault: unknown) => log.fault('ledger', fault);
  const checking = repeatEvery({ timer, everyMs: waitingEveryMs, onFault, call: () => watch.check() });
  return {
    watch,
    stop: () => checking.stop(),
    view: createLogView(db.read, citizenKeys, systemKeys, { witnessed: hasWitnesses }),
    systemKeys,
    origin: `${new URL(publicUrl).host}/ledger`,
    signers: createCachedSigners(keys, settings.ledgerMlDsa),
    knownKeys: (origin) => monitorKeys(keys, origin),
    witnesses,
  };
}
