import { SealBroken } from '../../crypto/chunked-encryption.ts';
import { type Read, WriteRefused } from '../../db/database.ts';
import { type RetryPolicy, retryDelayMs } from '../../jobs/back-off.ts';
import { createCallTimeout, timedOut } from '../../jobs/call-timeout.ts';
import { type JobQueue, startJobWorker } from '../../jobs/job-worker.ts';
import { repeatEvery } from '../../jobs/repeat-every.ts';
import type { Timer } from '../../jobs/timer.ts';
import type { WriteWithoutEvent } from '../../jobs/write-without-event.ts';
import { type Clock, elapsedMs, type RandomBytes } from '../../kernel/clock.ts';
import type { IdGenerator } from '../../kernel/id.ts';
import type { Commit } from '../../ledger/commit.ts';
import { BlobBroken, BlobsUnavailable } from '../blobs/blob-store.ts';
import type { SealedDocument } from '../document.ts';
import { findDocument } from '../document-store.ts';
import { fullRange, openBytesInAnyState, openDocumentContent } from '../open-document.ts';
import type { DocumentPorts } from '../ports.ts';
import {
  claimScans,
  nextScanDue,
  postponeScan,
  queueRescans,
  recordVerdict,
  type ScanJob,
  scanJobOf,
  unqueueScan,
} from './scan-store.ts';
import { type Scanner, ScannerFault, type ScanVerdict } from './scanner.ts';

/** The stores, the scanner and the times of the scan worker. */
export type ScanDeps = {
  readonly read: Read;
  readonly claim: WriteWithoutEvent;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: RandomBytes;
  readonly createId: IdGenerator;
  readonly ports: Pick<DocumentPorts, 'blobs' | 'citizenKeys' | 'alarm'>;
  readonly scanner: Scanner;
  /** A document is scanned again if the signatures have changed and its last scan is older than this. */
  readonly rescanAfterMs: number;
  /** Reports that the scanner is down, once a minute while documents wait, and once (undefined) when it is back. */
  readonly onScannerState: (fault: Error | undefined) => void;
  readonly onFault: (fault: unknown) => void;
};

/** See `startScanWorker`. */
export type ScanWorker = ReturnType<typeof startScanWorker>;

/** Longer than clamd may take for one document including reading it; then another process may try. */
const scanClaimMs = 15 * 60_000;
const rescanEveryMs = 10 * 60_000;
const rescanBatch = 500;
const scansAtOnce = 2;
const pollMs = 2_000;

/** How often a lasting outage is reported again, so that alerts on the count of faults last as well. */
const reportIntervalMs = 60_000;
/** After this many failed attempts a document counts as unscannable. */
const retryPolicy: RetryPolicy = { attempts: 6, firstDelayMs: 2_000, longestDelayMs: 300_000 };

/** Starts the scan worker: each document in `scanning` goes to the scanner, and only a clean verdict makes it available. */
export function startScanWorker(deps: ScanDeps) {
  const { clock, read, claim, timer, onFault } = deps;
  const queue: JobQueue<ScanJob> = {
    nextDueAt: () => nextScanDue(read),
    claim: async (limit) => {
      const now = clock.now();
      return (await claim(claimScans({ now, until: now + scanClaimMs, limit }))).map(scanJobOf);
    },
    run: createScanJob(deps),
  };
  const worker = startJobWorker({ ...deps, queue, concurrency: scansAtOnce, batch: scansAtOnce, pollMs });
  // Documents scanned before that instant by this engine are done or queued: later rescans skip them.
  let scannedBefore = { engine: '', before: 0 };
  const rescans = repeatEvery({
    timer,
    everyMs: rescanEveryMs,
    onFault,
    call: async () => {
      const now = clock.now();
      const engine = await deps.scanner.engine().catch((fault: unknown) => {
        if (fault instanceof ScannerFault) return undefined;
        throw fault;
      });
      if (engine === undefined) return;
      const before = now - deps.rescanAfterMs;
      const since = scannedBefore.engine === engine ? scannedBefore.before : 0;
      const queued = await claim(queueRescans({ now, since, before, engine, quarantined: false, limit: rescanBatch }));
      if (queued.length < rescanBatch) scannedBefore = { engine, before };
      if (queued.length > 0) worker.wake();
    },
  });
  return {
    wake: worker.wake,
    /** Resolves when nothing is scanned and nothing is due. */
    idle: worker.idle,
    stop: async (withinMs: number) => {
      // Concurrently: the rescan may be waiting for a scanner that does not respond.
      const rescansStopped = createCallTimeout(timer, withinMs).waitFor(rescans.stop());
      const [scanned, rescanned] = await Promise.all([worker.stop(withinMs), rescansStopped]);
      return scanned && rescanned !== timedOut;
    },
  };
}

function createScanJob(deps: ScanDeps): (job: ScanJob) => Promise<void> {
  const { clock, claim, read, random, ports, scanner, onScannerState } = deps;
  let reportedAt: number | undefined;
  const reportScanner = (fault: Error | undefined) => {
    const before = reportedAt;
    if (fault !== undefined && before !== undefined && elapsedMs(before, clock) < reportIntervalMs) return;
    reportedAt = fault === undefined ? undefined : clock.now();
    if (reportedAt !== before) onScannerState(fault);
  };

  async function verdictOn(document: SealedDocument, attempt: number): Promise<ScanVerdict | undefined> {
    try {
      const content = await openDocumentContent(ports, document);
      const verdict = await scanner.scan(
        openBytesInAnyState(ports, { document, content }, fullRange(content)),
        content.size,
      );
      reportScanner(undefined);
      return verdict;
    } catch (fault) {
      const broken = fault instanceof SealBroken || fault instanceof BlobBroken;
      // The store itself reports its outage.
      const isStorageDown = fault instanceof BlobsUnavailable;
      if (!broken && !isStorageDown && !(fault instanceof ScannerFault)) throw fault;
      const isDown = fault instanceof ScannerFault && fault.kind === 'down';
      if (isDown) reportScanner(fault);
      const isOfDocument = !isDown && !isStorageDown;
      if (isOfDocument && attempt >= retryPolicy.attempts) {
        return { verdict: 'unscannable', engine: 'none', finding: broken ? 'unreadable' : 'scan failed' };
      }
      await claim(postponeScan(document.id, clock.now() + retryDelayMs(retryPolicy, attempt, random), isOfDocument));
      return undefined;
    }
  }

  return async ({ id, attempt }) => {
    const document = (await findDocument(read, id))?.document;
    if (document === undefined || !('sealedRecord' in document) || document.status === 'withdrawn') {
      await claim(unqueueScan(id));
      return;
    }
    const verdict = await verdictOn(document, attempt);
    if (verdict !== undefined) await recordScan(deps, document, verdict);
  };
}

async function recordScan(deps: ScanDeps, document: SealedDocument, verdict: ScanVerdict): Promise<void> {
  const now = deps.clock.now();
  const to = verdict.verdict === 'clean' ? 'available' : 'quarantined';
  const { id, citizenId } = document;
  if (verdict.verdict === 'infected') deps.ports.alarm('document-infected', id);
  const event = { type: 'document.scanned', id: deps.createId('event'), at: now, actor: { process: 'scan' } } as const;
  try {
    await deps.commit({
      events: [{ ...event, citizenId, document: id, ...verdict }],
      statements: [recordVerdict(document, to, { verdict, now })],
    });
  } catch (fault) {
    // The document was withdrawn, erased or judged by another process meanwhile: that state stays.
    if (!(fault instanceof WriteRefused) || fault.kind !== 'rows') throw fault;
  }
}
