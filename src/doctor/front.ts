import { existsSync } from 'node:fs';
import { type TakenPort, takePort } from '../api/try-port.ts';
import { type Check, type Finding, faulty, ok, warn } from '../cli/doctor.ts';
import { publicUrlOn } from '../config/public-url.ts';
import { bytesWithin } from '../kernel/bytes-within.ts';
import { holderOf } from '../store/open-to-look.ts';
import { patienceMs } from './reach.ts';
import { type DoctorRoom, isServed, messageOf, readyDatabase, within } from './room.ts';

/** Where callers find the server: the address that they use, and the port that it listens at. */
export function frontChecks(room: DoctorRoom): readonly Check[] {
  return [
    { name: 'public-url', look: () => publicUrl(room), otherwise: { is: 'warn', fix: 'see PUBLIC_URL' } },
    { name: 'port', look: () => port(room), otherwise: { is: 'warn', fix: 'see HOST and PORT' } },
  ];
}

async function publicUrl(room: DoctorRoom): Promise<readonly Finding[]> {
  const { publicUrl: url, port: at } = room.settings;
  if (url === undefined)
    return [
      warn(
        `not set: tokens and links name ${at === 0 ? 'a port of the moment' : publicUrlOn(room.settings, at)}`,
        'set PUBLIC_URL to the address that callers use',
      ),
    ];
  const { protocol, hostname } = new URL(url);
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol === 'http:' && !isHere)
    return [warn(`${url}: tokens and personal data cross the network in clear`, 'serve it over https')];
  const kids = await kidsOfRunning(room);
  if (kids === undefined) return [ok(`${url}; no server runs that could answer`)];
  try {
    const isOurs = (await publishedKids(url)).some((kid) => kids.has(kid));
    if (isOurs) return [ok(`${url} is answered by this installation`)];
    return [warn(`${url} is answered by somebody else: it publishes none of our keys`, 'see PUBLIC_URL and the proxy')];
  } catch (fault) {
    const { cause } = fault as Error;
    const found = `${url} does not answer from here: ${messageOf(cause ?? fault)}`;
    return [warn(found, 'see the proxy, its certificate and the name; from outside it may be well')];
  }
}

/** The ids of the keys of a server that runs; undefined where none does. */
async function kidsOfRunning(room: DoctorRoom): Promise<ReadonlySet<string> | undefined> {
  const db = await readyDatabase(room);
  if (db === undefined) return undefined;
  const runs = db.engine === 'sqlite' ? holderOf(room.settings.dataDir) !== undefined : await isServed(db);
  if (!runs) return undefined;
  return new Set((await db.read('select kid from signing_key')).map(({ kid }) => String(kid)));
}

const longestKeySet = 1_048_576;

async function publishedKids(url: string): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(patienceMs);
  const answer = await within(patienceMs, fetch(`${url}/.well-known/jwks.json`, { signal, redirect: 'error' }));
  const text = Buffer.from((await bytesWithin(answer.body, longestKeySet)) ?? '').toString();
  if (answer.status !== 200) throw new Error(`${answer.status} for its keys`);
  // Whoever answers there: what is no key set has no such ids.
  const { keys } = JSON.parse(text) as { readonly keys?: readonly { readonly kid?: string }[] };
  return (keys ?? []).map(({ kid = '' }) => kid);
}

/** Each port as a start takes it, together for a moment. On PostgreSQL nobody knows whether a server on this machine has them. */
async function port({ settings }: DoctorRoom): Promise<readonly Finding[]> {
  const { host, port: at, adminHost, adminPort, dataDir, databaseUrl } = settings;
  if (databaseUrl !== undefined || !existsSync('/proc/locks') || holderOf(dataDir) !== undefined) return [];
  const found: Finding[] = [];
  const taken: TakenPort[] = [];
  for (const place of [
    { host, port: at },
    { host: adminHost, port: adminPort, of: 'ADMIN_' },
  ] as const) {
    if (place.port === 0) continue;
    try {
      taken.push(await takePort(place));
      found.push(ok(`${place.port} of ${place.host} is free`));
    } catch (fault) {
      // What to do stands behind the last one: an address may end in colons.
      const [, what = messageOf(fault), fix = 'see HOST and PORT'] = /^(.+): (.+)$/s.exec(messageOf(fault)) ?? [];
      found.push(faulty(what, fix));
    }
  }
  await Promise.all(taken.map(({ giveBack }) => giveBack()));
  return found;
}
