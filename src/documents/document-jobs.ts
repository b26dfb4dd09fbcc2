import type { Log } from '../api/log.ts';
import type { RunningJob, SliceDeps } from '../api/slice.ts';
import { createCallTimeout } from '../jobs/call-timeout.ts';
import { repeatEvery, startupDelayMs } from '../jobs/repeat-every.ts';
import { unbracketedHost } from '../kernel/unbracketed-host.ts';
import { type SweepResult, sweepBlobs } from './blobs/sweep-blobs.ts';
import { DocumentAlarmRaised, type DocumentPorts } from './ports.ts';
import { isErasureDue, runDeletion } from './retention/run-deletion.ts';
import { createClamdScanner } from './scan/clamd-scanner.ts';
import { type ScanWorker, startScanWorker } from './scan/scan-documents.ts';
import { nextScanDue } from './scan/scan-store.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The longest an upload may take: an older blob without an owner is a leftover. */
const uploadHours = 24;
/** How long blobs without a row are kept: until then, an operator who restored an old database can still find a newer one. */
const orphanKeptDays = 30;
const queueEveryMs = 5_000;

type DocumentJobDeps = Omit<SliceDeps, 'root' | 'citizenKeys' | 'onCommitted'>;

/** Starts the document jobs of the worker role: the scan, the sweep of blobs without an owner, the deletion run. */
export function startDocumentJobs(deps: DocumentJobDeps, ports: DocumentPorts): RunningJob {
  const { clock, timer, log } = deps;
  const scanWorker = startScans(deps, ports);
  let stopping = false;
  const isStopping = () => stopping;
  const onFault = (fault: unknown) => log.fault('documents', fault);
  const sweep = async (storedBefore: () => number) => {
    // A blob without a row may be a document, if an older database was restored: only its age decides.
    if (!(await deps.isClockSure())) return;
    // The files have the time of the machine.
    const before = storedBefore() + (await deps.lookAtClock());
    const times = { before, rowless: before - orphanKeptDays * 24 * hourMs };
    reportSweep(log, await sweepBlobs({ blobs: ports.blobs, read: deps.db.read, isStopping }, times));
  };
  const longAgo = () => clock.now() - uploadHours * hourMs;
  // Only this process can have an SQLite database open, so uploads from before its start are over. On PostgreSQL another process
  // may be receiving one.
  const first = sweep(deps.db.engine === 'sqlite' ? () => deps.openedAt : longAgo).catch(onFault);
  const deletion = { ...deps, read: deps.db.read, ports, isStopping };
  const repeated = [
    repeatEvery({ timer, everyMs: 6 * hourMs, onFault, call: () => sweep(longAgo) }),
    repeatEvery({
      timer,
      everyMs: hourMs,
      firstMs: startupDelayMs(deps.random),
      onFault,
      call: async () => {
        if (!(await deps.isClockSure()) || !(await isErasureDue(deletion))) return;
        const { fault } = await runDeletion(deletion, { process: 'retention' }, false);
        if (fault !== undefined) throw fault;
      },
    }),
  ];
  return {
    wake: () => scanWorker?.wake(),
    stop: async (withinMs) => {
      stopping = true;
      // Concurrently: a sweep may be waiting for a store that does not respond.
      const over = createCallTimeout(timer, withinMs);
      const ends = [first, ...repeated.map((one) => one.stop())].map(over.waitFor);
      await Promise.all([scanWorker?.stop(withinMs), ...ends]);
    },
  };
}

/** Measures how long documents wait for the scanner. */
export function startScanQueueMonitor({ db, clock, timer, log }: DocumentJobDeps): RunningJob {
  let oldestSeconds: number | undefined;
  const measuring = repeatEvery({
    timer,
    everyMs: queueEveryMs,
    onFault: (fault) => log.fault('queues', fault),
    call: async () => {
      const now = clock.now();
      oldestSeconds = Math.max(0, now - ((await nextScanDue(db.read)) ?? now)) / 1_000;
    },
  });
  const gauge = {
    name: 'citizen_services_scans_oldest_due_seconds',
    help: 'Time that the oldest malware scan has been due, in seconds.',
    read: () => oldestSeconds,
  };
  return { gauges: [gauge], stop: () => measuring.stop() };
}

function reportSweep(log: Log, swept: SweepResult): void {
  if (swept.broken + swept.orphans > 0) log.notice('the server removed blobs of interrupted uploads', swept);
  if (swept.strays === 0) return;
  const what = `${swept.strays} sealed documents have no row in this database. Check that it is the right database. The server removed nothing`;
  log.fault('documents', new DocumentAlarmRaised(what));
}

/** Starts the scan with the configured scanner; without one, logs the consequence. */
function startScans(deps: DocumentJobDeps, ports: DocumentPorts): ScanWorker | undefined {
  const { settings, log } = deps;
  if (settings.clamav === 'off') {
    log.notice('CLAMAV is off: the server delivers documents without a malware scan, and their records state this');
    return undefined;
  }
  if (settings.clamav === undefined) {
    log.notice(
      'no malware scanner is set: deposited documents stay in `scanning`. Set CLAMAV to the address of clamd, or to off',
    );
    return undefined;
  }
  return startScanWorker({
    ...deps,
    read: deps.db.read,
    ports,
    scanner: createClamdScanner({ address: parseClamdAddress(settings.clamav) }),
    rescanAfterMs: 7 * dayMs,
    onScannerState: (fault) => {
      if (fault === undefined) log.notice('the malware scanner responds again');
      else log.fault('scanner-down', fault);
    },
    onFault: (fault) => log.fault('scan', fault),
  });
}

/** The address of clamd in `CLAMAV`, whose form the settings have checked. */
export function parseClamdAddress(setting: string): { path: string } | { host: string; port: number } {
  if (setting.startsWith('unix:')) return { path: setting.slice('unix:'.length).replace(/^\/\/\//, '/') };
  const url = new URL(setting);
  return { host: unbracketedHost(url), port: Number(url.port) };
}
