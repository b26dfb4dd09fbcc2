import type { House } from './compose.ts';
import { type Scanning, startScanning } from './documents/scan-documents.ts';
import { clamdScanner } from './documents/scanners/clamd.ts';
import { systemTimer } from './jobs/timer.ts';
import type { Ports } from './operations.ts';

const dayMs = 86_400_000;

/** Starts the content gate with the scanner of the settings, and says what that means where there is none. */
export function startGate(house: House, ports: Ports): Scanning | undefined {
  const { settings, log } = house;
  if (settings.clamav === 'off') {
    log.notice('CLAMAV is off: documents are given out without a malware scan, and their records say so');
    return undefined;
  }
  if (settings.clamav === undefined) {
    log.notice('no scanner: deposited documents wait in `scanning`. Set CLAMAV to the address of clamd, or to off');
    return undefined;
  }
  return startScanning({
    ...house,
    read: house.db.read,
    timer: systemTimer,
    ports,
    scanner: clamdScanner({ address: clamdAddress(settings.clamav) }),
    rescanAfterMs: settings.rescanAfterDays * dayMs,
    onScanner: (fault) => {
      if (fault === undefined) log.notice('the malware scanner is back');
      else log.fault('scanner-down', fault);
    },
    onFault: (fault) => log.fault('scan', fault),
  });
}

/** The address in CLAMAV, whose form the settings have checked. */
export function clamdAddress(setting: string): { path: string } | { host: string; port: number } {
  if (setting.startsWith('unix:')) return { path: setting.slice('unix:'.length).replace(/^\/\/\//, '/') };
  const url = new URL(setting);
  return { host: url.hostname.replaceAll(/[[\]]/g, ''), port: Number(url.port) };
}
