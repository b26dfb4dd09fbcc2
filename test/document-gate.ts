import type { ScanParts } from '../src/documents/scan-documents.ts';
import type { Scanner, Verdict } from '../src/documents/scanner.ts';
import { systemRandom } from '../src/kernel/system-clock.ts';
import type { DocumentHouse } from './document-house.ts';
import { createVirtualTime } from './virtual-time.ts';

/** What a scanner says that has found nothing. */
export const clean: Verdict = { verdict: 'clean', engine: 'ClamAV 1.4.6/27000' };

/** A gate over a house whose scanner says what `verdicts` say, one after the other; the last one again and again. */
export function gateOver(house: DocumentHouse, scan: Scanner['scan']) {
  house.ports.scans = true;
  const time = createVirtualTime(house.time.now);
  const told: (string | undefined)[] = [];
  const scanner: Scanner = { engine: async () => clean.engine, scan };
  const parts: ScanParts = {
    read: house.db.read,
    claim: async (statement) => (await house.db.write([statement]))[0] ?? [],
    commit: house.house.commit,
    clock: { now: () => Math.round(time.clock.now()) },
    timer: time.timer,
    random: systemRandom,
    mint: house.mint,
    ports: house.ports,
    scanner,
    rescanAfterMs: 1_000,
    onScanner: (fault) => told.push(fault?.message),
    onFault: (fault) => {
      throw fault;
    },
  };
  return { time, told, parts };
}
