import { existsSync } from 'node:fs';
import { type ReservedPort, reservePort } from '../../api/probe-port.ts';
import { type DoctorCheck, type DoctorFinding, faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import { publicUrlFor } from '../../config/public-url.ts';
import { lockHolderPid } from '../../db/open-read-only.ts';
import { readBytesUpTo } from '../../kernel/read-bytes-up-to.ts';
import { checkTimeoutMs } from './check-reachable.ts';
import {
  type DoctorContext,
  errorMessage,
  isServerRunning,
  openMigratedDatabase,
  withTimeout,
} from './doctor-context.ts';

/** Where callers find the server: the address that they use, and the port that it listens at. */
export function addressChecks(context: DoctorContext): readonly DoctorCheck[] {
  return [
    { name: 'public-url', run: () => publicUrl(context), onFailure: { is: 'warn', fix: 'see PUBLIC_URL' } },
    { name: 'port', run: () => port(context), onFailure: { is: 'warn', fix: 'see HOST and PORT' } },
  ];
}

async function publicUrl(context: DoctorContext): Promise<readonly DoctorFinding[]> {
  const { publicUrl: url, port: at } = context.settings;
  if (url === undefined)
    return [
      warnFinding(
        `not set: tokens and links name ${at === 0 ? 'a port of the moment' : publicUrlFor(context.settings, at)}`,
        'set PUBLIC_URL to the address that callers use',
      ),
    ];
  const { protocol, hostname } = new URL(url);
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol === 'http:' && !isHere)
    return [warnFinding(`${url}: tokens and personal data cross the network in clear`, 'serve it over https')];
  const kids = await runningKeyIds(context);
  if (kids === undefined) return [okFinding(`${url}; no server runs that could answer`)];
  try {
    const isOurs = (await publishedKeyIds(url)).some((kid) => kids.has(kid));
    if (isOurs) return [okFinding(`${url} is answered by this installation`)];
    return [
      warnFinding(`${url} is answered by somebody else: it publishes none of our keys`, 'see PUBLIC_URL and the proxy'),
    ];
  } catch (fault) {
    const { cause } = fault as Error;
    const found = `${url} does not answer from here: ${errorMessage(cause ?? fault)}`;
    return [warnFinding(found, 'see the proxy, its certificate and the name; from outside it may be well')];
  }
}

/** The ids of the keys of a server that runs; undefined where none does. */
async function runningKeyIds(context: DoctorContext): Promise<ReadonlySet<string> | undefined> {
  const db = await openMigratedDatabase(context);
  if (db === undefined) return undefined;
  const runs =
    db.engine === 'sqlite' ? lockHolderPid(context.settings.dataDir) !== undefined : await isServerRunning(db);
  if (!runs) return undefined;
  return new Set((await db.read('select kid from signing_key')).map(({ kid }) => String(kid)));
}

const maxKeySetBytes = 1_048_576;

async function publishedKeyIds(url: string): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(checkTimeoutMs);
  const answer = await withTimeout(
    checkTimeoutMs,
    fetch(`${url}/.well-known/jwks.json`, { signal, redirect: 'error' }),
  );
  const text = Buffer.from((await readBytesUpTo(answer.body, maxKeySetBytes)) ?? '').toString();
  if (answer.status !== 200) throw new Error(`${answer.status} for its keys`);
  // Whoever answers there: what is no key set has no such ids.
  const { keys } = JSON.parse(text) as { readonly keys?: readonly { readonly kid?: string }[] };
  return (keys ?? []).map(({ kid = '' }) => kid);
}

/** Each port as a start takes it, together for a moment. On PostgreSQL nobody knows whether a server on this machine has them. */
async function port({ settings }: DoctorContext): Promise<readonly DoctorFinding[]> {
  const { host, port: at, adminHost, adminPort, dataDir, databaseUrl } = settings;
  if (databaseUrl !== undefined || !existsSync('/proc/locks') || lockHolderPid(dataDir) !== undefined) return [];
  const found: DoctorFinding[] = [];
  const reserved: ReservedPort[] = [];
  for (const place of [
    { host, port: at },
    { host: adminHost, port: adminPort, settingPrefix: 'ADMIN_' },
  ] as const) {
    if (place.port === 0) continue;
    try {
      reserved.push(await reservePort(place));
      found.push(okFinding(`${place.port} of ${place.host} is free`));
    } catch (fault) {
      // What to do stands behind the last one: an address may end in colons.
      const [, what = errorMessage(fault), fix = 'see HOST and PORT'] = /^(.+): (.+)$/s.exec(errorMessage(fault)) ?? [];
      found.push(faultFinding(what, fix));
    }
  }
  await Promise.all(reserved.map(({ release }) => release()));
  return found;
}
