import type { SliceDeps } from '../api/slice.ts';
import type { SigningKeys } from '../auth/signing-key-store.ts';
import { readSettingText, SettingError, type Settings } from '../config/settings.ts';
import { repeatEvery } from '../jobs/repeat-every.ts';
import { createCachedSigners, monitorKeys } from '../ledger/checkpoint-keys.ts';
import { createLedgerHealth } from '../ledger/ledger-health.ts';
import { createLogView } from '../ledger/log-view.ts';
import { createSystemKeys } from '../ledger/system-keys.ts';
import { parseTlogPolicy, type TlogPolicy, TlogPolicyError } from '../ledger/tlog/tlog-policy.ts';

/** The reading side of the ledger in a process. Only the sequencer appends. */
export type LedgerView = ReturnType<typeof openLedger>;

const waitingEveryMs = 5_000;

/** Reads the operator's file of witnesses; throws `SettingError` if it cannot be used. */
export function readWitnessPolicy({ ledgerWitnesses: path }: Settings): TlogPolicy | undefined {
  if (path === undefined) return undefined;
  const text = readSettingText('LEDGER_WITNESSES', path);
  try {
    return parseTlogPolicy(text);
  } catch (fault) {
    if (!(fault instanceof TlogPolicyError)) throw fault;
    throw new SettingError('LEDGER_WITNESSES', `${JSON.stringify(path)}: ${fault.message}`);
  }
}

/** Opens the reading side of the ledger. */
export function openLedger(deps: SliceDeps, keys: SigningKeys, publicUrl: string) {
  const { db, root, citizenKeys, settings, clock, timer, log } = deps;
  const systemKeys = createSystemKeys(root);
  const witnesses = readWitnessPolicy(settings);
  const hasWitnesses = witnesses !== undefined;
  const watch = createLedgerHealth({
    read: db.read,
    clock,
    hasWitnesses,
    onAlarm: (kind, fault) => log.fault(kind, fault),
    onAlarmCleared: (kind) => log.notice('an alarm of the ledger has ended', { kind }),
  });
  const onFault = (fault: unknown) => log.fault('ledger', fault);
  const checking = repeatEvery({ timer, everyMs: waitingEveryMs, onFault, call: () => watch.check() });
  return {
    watch,
    stop: () => checking.stop(),
    view: createLogView(db.read, citizenKeys, systemKeys, { witnessed: hasWitnesses }),
    systemKeys,
    /** The name of a new log. An existing log keeps the name that it was started with. */
    origin: `${new URL(publicUrl).host}/ledger`,
    signers: createCachedSigners(keys, settings.ledgerMlDsa),
    /** The keys that the monitor trusts for the log of that name. */
    knownKeys: (origin: string) => monitorKeys(keys, origin),
    witnesses,
  };
}
