import { existsSync } from 'node:fs';
import { type ReservedPort, reservePort } from '../../api/probe-port.ts';
import { type DoctorCheck, type DoctorFinding, faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import { publicUrlFor } from '../../config/public-url.ts';
import type { Settings } from '../../config/settings.ts';
import { lockHolderPid } from '../../db/open-read-only.ts';
import { errorMessage } from './doctor-context.ts';

/** Checks the address that callers use and the ports that the server listens on. */
export function addressChecks(settings: Settings): readonly DoctorCheck[] {
  return [
    {
      name: 'public-url',
      run: async () => [checkPublicUrl(settings)],
      onFailure: { is: 'warn', fix: 'check PUBLIC_URL' },
    },
    { name: 'port', run: () => checkPorts(settings), onFailure: { is: 'warn', fix: 'check HOST and PORT' } },
  ];
}

function checkPublicUrl(settings: Settings): DoctorFinding {
  const { publicUrl: url, port } = settings;
  if (url === undefined)
    return warnFinding(
      `not set: tokens and links contain ${port === 0 ? 'a random port' : publicUrlFor(settings, port)}`,
      'set PUBLIC_URL to the address that callers use',
    );
  const { protocol, hostname } = new URL(url);
  const isLoopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol === 'http:' && !isLoopback)
    return warnFinding(`${url}: tokens and personal data cross the network unencrypted`, 'serve it over https');
  return okFinding(url);
}

/** Reserves all ports together for a moment. With PostgreSQL it cannot know whether a server on this machine holds them. */
async function checkPorts(settings: Settings): Promise<readonly DoctorFinding[]> {
  const { host, port, adminHost, adminPort, dataDir, databaseUrl } = settings;
  if (databaseUrl !== undefined || !existsSync('/proc/locks') || lockHolderPid(dataDir) !== undefined) return [];
  const findings: DoctorFinding[] = [];
  const reserved: ReservedPort[] = [];
  for (const address of [
    { host, port },
    { host: adminHost, port: adminPort, settingPrefix: 'ADMIN_' },
  ] as const) {
    if (address.port === 0) continue;
    try {
      reserved.push(await reservePort(address));
      findings.push(okFinding(`${address.port} of ${address.host} is free`));
    } catch (fault) {
      // The fix is after the last colon: an IPv6 address can end in colons.
      const [, found = errorMessage(fault), fix = 'check HOST and PORT'] =
        /^(.+): (.+)$/s.exec(errorMessage(fault)) ?? [];
      findings.push(faultFinding(found, fix));
    }
  }
  await Promise.all(reserved.map(({ release }) => release()));
  return findings;
}
