import type { SliceDeps } from '../../api/slice.ts';
import { parseSettingFile } from '../../config/setting-file.ts';
import { SettingError } from '../../config/settings.ts';
import type { RequestTimeStamp } from './evidence-bundle.ts';

const stampTimeoutMs = 5_000;

type TimeStamperDeps = Pick<SliceDeps, 'settings' | 'clock' | 'random'> & {
  readonly log: Pick<SliceDeps['log'], 'fault'>;
};

/** Creates the client of the time stamping authority; undefined without `EVIDENCE_TSA_URL`. Loads its packages only if needed. */
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
