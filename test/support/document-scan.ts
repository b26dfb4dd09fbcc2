import type { ScanDeps } from '../../src/documents/scan/scan-documents.ts';
import type { Scanner, ScanVerdict } from '../../src/documents/scan/scanner.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import type { DocumentApp } from './document-app.ts';
import { createVirtualTime } from './virtual-time.ts';

/** The verdict of a scanner that found nothing. */
export const cleanVerdict: ScanVerdict = { verdict: 'clean', engine: 'ClamAV 1.4.6/27000' };

/** A scan worker whose scanner returns these verdicts in order, and repeats the last one. */
export function createDocumentScan(app: DocumentApp, scan: Scanner['scan']) {
  app.ports.scans = true;
  const time = createVirtualTime(app.time.now);
  const reports: (string | undefined)[] = [];
  const scanner: Scanner = { engine: async () => cleanVerdict.engine, scan };
  const scanDeps: ScanDeps = {
    read: app.db.read,
    claim: async (statement) => (await app.db.write([statement]))[0] ?? [],
    commit: app.app.commit,
    clock: { now: () => Math.round(time.clock.now()) },
    timer: time.timer,
    random: systemRandom,
    createId: app.createId,
    ports: app.ports,
    scanner,
    rescanAfterMs: 1_000,
    onScannerState: (fault) => reports.push(fault?.message),
    onFault: (fault) => {
      throw fault;
    },
  };
  return { time, told: reports, parts: scanDeps };
}
