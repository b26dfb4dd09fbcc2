import type { Log } from '../../api/log.ts';
import { parseSettingFile } from '../../config/setting-file.ts';
import { SettingError, type Settings } from '../../config/settings.ts';
import type { Clock, RandomBytes } from '../../kernel/clock.ts';
import type { RequestTimeStamp } from './evidence-bundle.ts';

const stampTimeoutMs = 5_000;

type TimeStamperDeps = {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Pick<Log, 'fault'>;
};

/** The client of the operator's time stamping authority; undefined where none is set. Its packages are loaded only then. */
export async function createTimeStamper(deps: TimeStamperDeps): Promise<RequestTimeStamp | undefined> {
  const { settings, clock, random, log } = deps;
  const { evidenceTsaUrl: url, evidenceTsaCertificates: path } = settings;
  if ((url === undefined) !== (path === undefined)) {
    throw new SettingError(
      'EVIDENCE_TSA_URL',
      'expected EVIDENCE_TSA_URL and EVIDENCE_TSA_CERTIFICATES together, or neither',
    );
  }
  if (url === undefined || path === undefined) return undefined;
  const { parseCertificates } = await import('./time-stamp.ts');
  const { createTimeStampClient } = await import('./time-stamp-client.ts');
  const trusted = parseSettingFile('EVIDENCE_TSA_CERTIFICATES', path, parseCertificates);
  const onFault = (fault: unknown) => log.fault('time-stamp', fault);
  return createTimeStampClient({ url, trusted, clock, random, timeoutMs: stampTimeoutMs, onFault });
}
