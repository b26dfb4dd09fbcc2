import type { Read } from '../../db/database.ts';
import { type Clock, elapsedMs } from '../../kernel/clock.ts';
import type { KindConfig } from './trust-file.ts';
import { openSignedEntityList, type TrustedEntity, type TrustedEntityList } from './trusted-entity-list.ts';
import { findFetchedList, findIssuerLists } from './wallet-list-store.ts';

/** The trusted entities of each kind in memory. */
export type EntityCache = {
  /** The entities of the lists that are valid at this time. A list counts until its `NextUpdate`, without a grace period. */
  entitiesOf(kindName: string, now: number): readonly TrustedEntity[];
  /** Reads the lists that the job has fetched, unless it did so a moment ago. */
  refresh(): Promise<void>;
  /** Reads the lists at once, after this process has fetched some. */
  reload(): Promise<void>;
};

type EntityCacheDeps = {
  readonly configs: readonly KindConfig[];
  readonly read: Read;
  readonly clock: Clock;
  /** A stored list that is not valid any more, such as after its signer was removed from WALLET_TRUST. */
  onFault(fault: unknown): void;
};

const maxAgeMs = 60_000;
/** While a list is missing, the cache looks for it more often. */
const maxAgeWhileMissingMs = 2_000;

/** Creates the cache of one process or thread. It is empty for lists at a URL until the first `refresh`. */
export function createEntityCache({ configs, read, clock, onFault }: EntityCacheDeps): EntityCache {
  const lists = new Map<string, { readonly fetchedAt: number; readonly list: TrustedEntityList | undefined }>();
  const signersOf = new Map(
    configs.flatMap(({ kind, sources }) =>
      sources.flatMap((source) => ('url' in source ? [[keyOf(kind.name, source.url), source.signers] as const] : [])),
    ),
  );
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function load(): Promise<void> {
    const startedAt = clock.now();
    for (const found of await findIssuerLists(read)) {
      const key = keyOf(found.credential, found.url);
      const signers = signersOf.get(key);
      if (signers === undefined || lists.get(key)?.fetchedAt === found.fetchedAt) continue;
      const stored = await findFetchedList(read, found);
      if (stored === undefined) continue;
      const text = Buffer.from(stored.content).toString('utf8');
      const list = await openSignedEntityList(text, signers, startedAt).catch(onFault);
      lists.set(key, { fetchedAt: stored.fetchedAt, list: list ?? undefined });
    }
    readAt = startedAt;
  }

  function refresh(): Promise<void> {
    const isMissing = [...signersOf.keys()].some((key) => lists.get(key)?.list === undefined);
    if (signersOf.size === 0 || elapsedMs(readAt, clock) <= (isMissing ? maxAgeWhileMissingMs : maxAgeMs))
      return Promise.resolve();
    reading ??= load().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function reload(): Promise<void> {
    // A read that runs already may have started too early.
    await reading;
    await load();
  }

  return {
    entitiesOf: (kindName, now) => {
      const sources = configs.find(({ kind }) => kind.name === kindName)?.sources ?? [];
      const known = sources.map((source) =>
        'url' in source ? lists.get(keyOf(kindName, source.url))?.list : source.list,
      );
      return known.flatMap((list) => (list === undefined || list.nextUpdate <= now ? [] : list.entities));
    },
    refresh,
    reload,
  };
}

const keyOf = (kindName: string, url: string) => `${kindName} ${url}`;
