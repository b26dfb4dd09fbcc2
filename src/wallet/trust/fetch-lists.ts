import type { Gauge } from '../../api/metrics.ts';
import type { SliceDeps } from '../../api/slice.ts';
import { type RepeatingTask, repeatEvery, startupDelayMs } from '../../jobs/repeat-every.ts';
import type { Clock } from '../../kernel/clock.ts';
import { readBytesUpTo } from '../../kernel/read-bytes-up-to.ts';
import type { FetchPublic } from '../../net/fetch-public.ts';
import type { EntityCache } from './entity-cache.ts';
import { statusAnchorsOf } from './status-cache.ts';
import { maxStatusTokenBytes, openStatusList } from './status-list.ts';
import { type KindConfig, mayFetchStatusList } from './trust-file.ts';
import { maxListBytes, openSignedEntityList } from './trusted-entity-list.ts';
import {
  type DueList,
  deleteList,
  deleteWithdrawnStatusLists,
  findDueLists,
  rememberList,
  storeFetchedList,
  summarizeLists,
  takeDueList,
  type WalletListSummary,
} from './wallet-list-store.ts';

/** Dependencies of the job. */
export type FetchListsDeps = Pick<SliceDeps, 'clock' | 'isClockSure' | 'timer' | 'random' | 'log' | 'db' | 'claim'> & {
  readonly configs: readonly KindConfig[];
  readonly entities: EntityCache;
  readonly fetchPublic: FetchPublic;
};

/** A list could not be fetched, or is not valid. The earlier one is used until it expires. */
class ListNotFetched extends Error {
  override readonly name = 'ListNotFetched';
}

const everyMs = 15_000;
const timeoutMs = 10_000;
const summaryMs = 60_000;
const retryMs = 300_000;
/** The lists of one run. They are fetched a few at a time, so that a host that does not answer delays only these. */
const [listsPerRun, listsAtOnce] = [100, 5];
const hourMs = 3_600_000;
/** Lists are fetched again at half of their `ttl` or `NextUpdate`, within these limits, so that a failure can be repeated in time. */
const [minWaitMs, maxWaitMs] = [60_000, 6 * hourMs];
/** The `ttl` of a status list that has none. */
const defaultTtlMs = 12 * hourMs;
const withdrawnAfterMs = 30 * 24 * hourMs;

/**
 * Starts the job that fetches lists of trusted entities and status lists, some time before they are needed. The requests for
 * known lists do not depend on a presentation, so that an issuer does not learn where a citizen shows a credential.
 */
export function startFetchingLists(deps: FetchListsDeps): RepeatingTask & { readonly gauges: readonly Gauge[] } {
  const { timer, random, log, clock, db, claim, isClockSure } = deps;
  let summaries: readonly WalletListSummary[] = [];
  let rememberedAt = Number.NEGATIVE_INFINITY;
  let summarizedAt = Number.NEGATIVE_INFINITY;
  const task = repeatEvery({
    timer,
    everyMs,
    firstMs: startupDelayMs(random),
    call: async () => {
      if (clock.now() - rememberedAt > hourMs) {
        await rememberConfiguredLists(deps);
        if (await isClockSure()) await claim(deleteWithdrawnStatusLists(Math.max(0, clock.now() - withdrawnAfterMs)));
        rememberedAt = clock.now();
      }
      await fetchDueLists(deps);
      if (clock.now() - summarizedAt < summaryMs) return;
      summaries = await summarizeLists(db.read);
      summarizedAt = clock.now();
    },
    onFault: (fault) => log.fault('wallet-lists', fault),
  });
  return { ...task, gauges: listGauges(() => summaries, clock) };
}

/** The lists of a kind are named `KIND issuers` and `KIND status`. */
function listGauges(summaries: () => readonly WalletListSummary[], clock: Clock): readonly Gauge[] {
  const secondsOf = (msOf: (summary: WalletListSummary) => number) => () =>
    new Map(summaries().map((one) => [`${one.credential} ${one.role}`, Math.round(msOf(one) / 1_000)]));
  return [
    {
      name: 'citizen_services_wallet_list_age_seconds',
      help: 'Seconds since the oldest list of trusted entities or status list was fetched, by kind of credential and of list.',
      label: 'list',
      read: secondsOf(({ oldestFetchedAt }) => clock.now() - (oldestFetchedAt ?? clock.now())),
    },
    {
      name: 'citizen_services_wallet_list_seconds_left',
      help: 'Seconds until the first list of trusted entities or status list expires, by kind of credential and of list. Negative if one was not fetched in time.',
      label: 'list',
      read: secondsOf(({ earliestExpiresAt }) => earliestExpiresAt - clock.now()),
    },
  ];
}

async function rememberConfiguredLists({ configs, clock, claim }: FetchListsDeps): Promise<void> {
  for (const statement of configs.flatMap((config) => rememberConfigured(config, clock.now()))) await claim(statement);
}

/** Fetches all lists that are due, once. A list that fails is reported, and tried again after 5 minutes. */
async function fetchDueLists(deps: FetchListsDeps): Promise<void> {
  const due = await findDueLists(deps.db.read, deps.clock.now(), listsPerRun);
  if (due.length === 0) return;
  await fetchLists(
    deps,
    due.filter(({ role }) => role === 'issuers'),
  );
  // The signers of status lists are in the lists of issuers.
  await deps.entities.reload();
  await fetchLists(
    deps,
    due.filter(({ role }) => role === 'status'),
  );
}

async function fetchLists(deps: FetchListsDeps, lists: readonly DueList[]): Promise<void> {
  for (let start = 0; start < lists.length; start += listsAtOnce) {
    const some = lists.slice(start, start + listsAtOnce);
    await Promise.all(
      some.map((list) => fetchList(deps, list).catch((fault) => deps.log.fault('wallet-lists', fault))),
    );
  }
}

function rememberConfigured({ kind, sources, statusLists }: KindConfig, now: number) {
  const credential = kind.name;
  return [
    ...sources.flatMap((source) =>
      'url' in source ? [rememberList({ credential, url: source.url }, 'issuers', now)] : [],
    ),
    ...statusLists.map((url) => rememberList({ credential, url }, 'status', now)),
  ];
}

async function fetchList(deps: FetchListsDeps, list: DueList): Promise<void> {
  const { clock, claim } = deps;
  const open = openerOf(deps, list);
  // WALLET_TRUST has changed since the list was stored.
  if (open === undefined) return void (await claim(deleteList(list)));
  const taken = await claim(takeDueList(list, clock.now() + retryMs));
  if (taken.length === 0) return;
  const content = await download(deps, list);
  const fetchedAt = clock.now();
  const { freshMs, expiresAt, sequenceNumber } = await openOrThrow(list, () =>
    open(content.toString('utf8'), fetchedAt),
  );
  const nextFetchAt = fetchedAt + Math.round(Math.min(Math.max(freshMs / 2, minWaitMs), maxWaitMs));
  const fetched = { fetchedAt, expiresAt, content, nextFetchAt, sequenceNumber };
  const stored = await claim(storeFetchedList(list, fetched));
  // Attack: a copy of an earlier list, in which a credential or an issuer is not revoked yet.
  if (stored.length === 0)
    throw new ListNotFetched(
      `expected a list that is not older than the stored one, received an older list from ${originOf(list.url)}`,
    );
}

/** `freshMs`: how long the issuer of the list recommends to use a copy. `expiresAt`: how long it is used if no newer one can be fetched. */
type OpenedList = { readonly freshMs: number; readonly expiresAt: number; readonly sequenceNumber: number };

/** The function that checks a list of this address; undefined if the settings do not name it. */
function openerOf({ configs, entities }: FetchListsDeps, { credential, url, role }: DueList) {
  const config = configs.find(({ kind }) => kind.name === credential);
  if (config === undefined) return undefined;
  if (role === 'issuers') {
    const source = config.sources.find((one) => 'url' in one && one.url === url);
    if (source === undefined || !('url' in source)) return undefined;
    return async (text: string, now: number): Promise<OpenedList> => {
      const { nextUpdate, sequenceNumber } = await openSignedEntityList(text, source.signers, now);
      if (nextUpdate <= now)
        throw new TypeError('expected a time in the future as `NextUpdate`, received an earlier one');
      return { freshMs: nextUpdate - now, expiresAt: nextUpdate, sequenceNumber };
    };
  }
  if (!mayFetchStatusList(config, url)) return undefined;
  return async (text: string, now: number): Promise<OpenedList> => {
    const anchors = entities.entitiesOf(credential, now).flatMap(statusAnchorsOf);
    const { expiresAt: exp, ttlMs = defaultTtlMs, issuedAt } = await openStatusList(text, { uri: url, anchors, now });
    const leftMs = (exp ?? Number.POSITIVE_INFINITY) - now;
    // After `ttl`, a copy is still better than no list, but not for long.
    const lifetimeMs = Math.round(Math.min(leftMs, Math.max(2 * ttlMs, 2 * retryMs)));
    return { freshMs: Math.min(leftMs, ttlMs), expiresAt: now + lifetimeMs, sequenceNumber: issuedAt };
  };
}

async function download({ fetchPublic }: FetchListsDeps, { url, role }: DueList): Promise<Buffer> {
  const isStatus = role === 'status';
  const accept = isStatus ? 'application/statuslist+jwt' : 'application/jose, application/jwt, application/json';
  try {
    const response = await fetchPublic(url, { headers: { accept }, signal: AbortSignal.timeout(timeoutMs) });
    if (response.status !== 200) throw new TypeError(`it answered with status ${response.status}`);
    const bytes = await readBytesUpTo(response.body, isStatus ? maxStatusTokenBytes : maxListBytes);
    if (bytes === undefined) throw new TypeError('it answered with too many bytes');
    return bytes;
  } catch (cause) {
    throw new ListNotFetched(`could not fetch a list from ${originOf(url)}`, { cause });
  }
}

async function openOrThrow<T>(list: DueList, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (cause) {
    throw new ListNotFetched(`a list from ${originOf(list.url)} is not valid`, { cause });
  }
}

/** The log has only the origin: an issuer could give each person a list of their own. */
function originOf(url: string): string {
  return new URL(url).origin;
}
