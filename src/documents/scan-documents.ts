import { type RetryPolicy, retryDelayMs } from '../jobs/back-off.ts';
import type { Claim } from '../jobs/claim.ts';
import { createLimit, late } from '../jobs/limit.ts';
import { repeat } from '../jobs/repeat.ts';
import type { Timer } from '../jobs/timer.ts';
import { type Queue, startWorker } from '../jobs/worker.ts';
import { ageOf, type Clock, type Random } from '../kernel/clock.ts';
import type { Mint } from '../kernel/id.ts';
import { SealBroken } from '../keys/chunked-encryption.ts';
import type { Commit } from '../ledger/commit.ts';
import { type Read, WriteRefused } from '../store/db.ts';
import { BlobBroken, BlobsUnavailable } from './blobs/blob-store.ts';
import type { HeldDocument } from './document.ts';
import { findDocument } from './document-store.ts';
import { heldBytes, openContent, wholeOf } from './open-document.ts';
import type { DocumentPorts } from './ports.ts';
import {
  claimScans,
  dropScan,
  nextScanDue,
  putOffScan,
  queueRescans,
  recordVerdict,
  type ScanJob,
  scanJobOf,
} from './scan-store.ts';
import { type Scanner, ScannerFault, type Verdict } from './scanner.ts';

export type ScanParts = {
  readonly read: Read;
  readonly claim: Claim;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: Random;
  readonly mint: Mint;
  readonly ports: Pick<DocumentPorts, 'blobs' | 'citizenKeys' | 'alarm'>;
  readonly scanner: Scanner;
  /** A document is scanned anew when the signatures have changed and its last scan is older than that. */
  readonly rescanAfterMs: number;
  /** Told that the scanner is down, with the reason, once a minute while documents wait for it, and once when it is back (undefined). */
  readonly onScanner: (fault: Error | undefined) => void;
  readonly onFault: (fault: unknown) => void;
};

export type Scanning = {
  /** Looks at the queue at once. */
  wake(): void;
  /** Resolves when nothing is scanned and nothing is due. */
  idle(): Promise<void>;
  stop(withinMs: number): Promise<boolean>;
};

/** Longer than clamd may take for one document, reading included; then another process may try. */
export const claimMs: number = 15 * 60_000;
const rescanEveryMs = 10 * 60_000;
const rescanBatch = 500;
const scansAtOnce = 2;
const pollMs = 2_000;

/** While it lasts it is told again so often, so that the alarm of whoever counts faults lasts as well. */
const toldAgainMs = 60_000;
/** What a document may cost: tried in vain so often, it counts as one that cannot be scanned. */
const policy: RetryPolicy = { attempts: 6, firstDelayMs: 2_000, longestDelayMs: 300_000 };

/** Starts the gate: every document in `scanning` is taken to the scanner, and nothing but its verdict lets it out. */
export function startScanning(parts: ScanParts): Scanning {
  const { clock, read, claim, timer, onFault } = parts;
  const queue: Queue<ScanJob> = {
    nextDueAt: () => nextScanDue(read),
    claim: async (limit) => {
      const now = clock.now();
      return (await claim(claimScans({ now, until: now + claimMs, limit }))).map(scanJobOf);
    },
    run: createScan(parts),
  };
  const worker = startWorker({ ...parts, queue, concurrency: scansAtOnce, batch: scansAtOnce, pollMs });
  // What these signatures have looked at before that instant, or is queued: no later look goes through it again.
  let known = { engine: '', before: 0 };
  const rescans = repeat({
    timer,
    everyMs: rescanEveryMs,
    onFault,
    call: async () => {
      const now = clock.now();
      const engine = await parts.scanner.engine().catch((fault: unknown) => {
        if (fault instanceof ScannerFault) return undefined;
        throw fault;
      });
      if (engine === undefined) return;
      const before = now - parts.rescanAfterMs;
      const since = known.engine === engine ? known.before : 0;
      const queued = await claim(queueRescans({ now, since, before, engine, quarantined: false, limit: rescanBatch }));
      if (queued.length < rescanBatch) known = { engine, before };
      if (queued.length > 0) worker.wake();
    },
  });
  return {
    wake: worker.wake,
    idle: worker.idle,
    stop: async (withinMs) => {
      // All at once: the rescan may be asking a scanner that does not answer.
      const asked = createLimit(timer, withinMs).hold(rescans.stop());
      const [scanned, rescanned] = await Promise.all([worker.stop(withinMs), asked]);
      return scanned && rescanned !== late;
    },
  };
}

/** The same commit; when it has stored a new document, the gate of this process looks at its queue at once. */
export function scanningCommit(commit: Commit, wake: () => void): Commit {
  return async (effect) => {
    const rows = await commit(effect);
    if (effect.events.some((event) => event.type === 'document.deposited')) wake();
    return rows;
  };
}

function createScan(parts: ScanParts): (job: ScanJob) => Promise<void> {
  const { clock, claim, read, random, ports, scanner, onScanner } = parts;
  let toldAt: number | undefined;
  const tell = (fault: Error | undefined) => {
    const before = toldAt;
    if (fault !== undefined && before !== undefined && ageOf(before, clock) < toldAgainMs) return;
    toldAt = fault === undefined ? undefined : clock.now();
    if (toldAt !== before) onScanner(fault);
  };

  async function verdictOn(document: HeldDocument, attempt: number): Promise<Verdict | undefined> {
    try {
      const content = await openContent(ports, document);
      const verdict = await scanner.scan(heldBytes(ports, { document, content }, wholeOf(content)), content.size);
      tell(undefined);
      return verdict;
    } catch (fault) {
      const broken = fault instanceof SealBroken || fault instanceof BlobBroken;
      // Told by the store itself.
      const isAway = fault instanceof BlobsUnavailable;
      if (!broken && !isAway && !(fault instanceof ScannerFault)) throw fault;
      const isDown = fault instanceof ScannerFault && fault.kind === 'down';
      if (isDown) tell(fault);
      const isOfDocument = !isDown && !isAway;
      if (isOfDocument && attempt >= policy.attempts) {
        return { verdict: 'unscannable', engine: 'none', finding: broken ? 'unreadable' : 'scan failed' };
      }
      await claim(putOffScan(document.id, clock.now() + retryDelayMs(policy, attempt, random), isOfDocument));
      return undefined;
    }
  }

  return async ({ id, attempt }) => {
    const document = (await findDocument(read, id))?.document;
    if (document === undefined || !('sealedRecord' in document) || document.status === 'withdrawn') {
      await claim(dropScan(id));
      return;
    }
    const verdict = await verdictOn(document, attempt);
    if (verdict !== undefined) await settle(parts, document, verdict);
  };
}

async function settle(parts: ScanParts, document: HeldDocument, verdict: Verdict): Promise<void> {
  const now = parts.clock.now();
  const to = verdict.verdict === 'clean' ? 'available' : 'quarantined';
  const { id, citizenId } = document;
  if (verdict.verdict === 'infected') parts.ports.alarm('document-infected', id);
  const event = { type: 'document.scanned', id: parts.mint('event'), at: now, actor: { process: 'scan' } } as const;
  try {
    await parts.commit({
      events: [{ ...event, citizenId, document: id, ...verdict }],
      statements: [recordVerdict(document, to, { verdict, now })],
    });
  } catch (fault) {
    // Withdrawn, erased or judged by another process in the meantime, and no longer queued or queued anew: that counts.
    if (!(fault instanceof WriteRefused) || fault.kind !== 'rows') throw fault;
  }
}
