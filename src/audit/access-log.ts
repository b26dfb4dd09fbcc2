import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import { deriveLinkKey } from '../ledger/ledger-entry.ts';
import type { StoredCheckpoint } from '../ledger/ledger-store.ts';
import type { LogView } from '../ledger/log-view.ts';
import { openEntryContent } from '../ledger/receipt-extra.ts';
import type { StoredEntry } from '../ledger/stored-entry.ts';
import { matchesFilter, type UsageFilter } from './access-log-filter.ts';
import { isHidden, namesEmployee, toUsage, type Usage, type UsageExplanation } from './usage.ts';

/** The log, the keys and the look-ups for a citizen's access log. */
export type AccessLogDeps = {
  readonly log: LogView;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'earlierKeyOf' | 'pseudonymOf'>;
  readonly organisationOf: (clientId: string) => string;
  /** Why that verification of the citizen had its result, while it is stored. */
  readonly explanationOf: (verification: string, citizenId: string) => Promise<UsageExplanation | undefined>;
};

/** A part of a citizen's access log; each use has its proof. */
export type AccessLogPage = Awaited<ReturnType<typeof readAccessLog>>;

type AccessLogQuery = {
  readonly after: number;
  /** With it, the last uses before this number. */
  readonly before?: number | undefined;
  readonly limit: number;
  readonly now: number;
  /** The tree that all parts are read from; the published one by default. */
  readonly checkpoint?: StoredCheckpoint | undefined;
  readonly filter?: UsageFilter | undefined;
};

/** The most entries that one request opens to find uses that pass its filter. */
const maxOpened = 2_000;
const chunkSize = 200;

/**
 * The uses of a citizen's data with numbers above `after`, in order, as far as they are signed; with `before` the last ones below that
 * number. Without a filter there are no gaps. `next` is the `after` or `before` of the following part, null at the end. A concealed
 * use, or one that names an employee, has its encrypted entry and proof, but not its content key.
 */
export async function readAccessLog(
  { log, citizenKeys, organisationOf, explanationOf }: AccessLogDeps,
  citizenId: string,
  { after, before, limit, now, checkpoint: givenCheckpoint, filter = {} }: AccessLogQuery,
) {
  const chain = citizenKeys.pseudonymOf(citizenId);
  const checkpoint = givenCheckpoint ?? (await log.publishedCheckpoint());
  const size = checkpoint?.size ?? 0;
  const total = (await log.findLastEntry(chain, size))?.number ?? 0;
  // The numbers of a chain have no gaps.
  const range = { after, last: before === undefined ? total : Math.min(before - 1, total) };
  const bounds = await withinDates(log, chain, range, filter);
  const search = { ...bounds, limit, isBackwards: before !== undefined };
  const { found, next } = await findOpened(search, async (from, count) => {
    const entries = await log.readChain(chain, from, count);
    const opened = await Promise.all(entries.map(openEntry));
    return opened.filter(({ usage }) => matchesFilter(usage, filter));
  });
  const key = await citizenKeys.keyOf(citizenId);
  const prove = checkpoint === undefined ? undefined : log.createEntryProver(checkpoint);
  // Concurrently: each proof takes several ticks of the event loop.
  const usages = await Promise.all(prove === undefined ? [] : found.map((one) => toProvenUsage(one, prove)));

  async function openEntry(entry: StoredEntry) {
    const contentKey = await log.findContentKey(entry);
    const content = openEntryContent({ entry: entry.entry, contentKey });
    const isSealed = content === undefined || isHidden(content, now) || namesEmployee(content);
    const usage = toUsage(entry, content, { now, nameOf: organisationOf });
    return { entry, usage, proofKey: isSealed ? undefined : contentKey };
  }

  async function toProvenUsage(
    { entry, usage, proofKey }: Awaited<ReturnType<typeof openEntry>>,
    proofOf: ReturnType<LogView['createEntryProver']>,
  ): Promise<Usage & { readonly proof: string }> {
    const proof = await proofOf(entry, proofKey);
    const verification = usage.usage === 'identity.verified' ? usage.details?.['verification'] : undefined;
    if (typeof verification !== 'string') return { ...usage, proof };
    const explanation = await explanationOf(verification, citizenId);
    return { ...usage, ...(explanation === undefined ? {} : { explanation }), proof };
  }

  return {
    totalUsages: total,
    returnedUsages: usages.length,
    usages,
    next: next ?? null,
    // With pseudonym and link key of the citizen's chain, anyone can check that no number is missing.
    chain: Buffer.from(chain).toString('base64'),
    linkKey: deriveLinkKey(key).toString('base64'),
    // For uses from before the import of the citizen.
    earlierLinkKey: deriveLinkKey(await citizenKeys.earlierKeyOf(citizenId)).toString('base64'),
  };
}

/** The numbers that are searched: above `after`, up to `last`. */
type NumberRange = { readonly after: number; readonly last: number };

/** Narrows the range to the dates of the filter, so that no other entry is opened. */
async function withinDates(
  log: Pick<LogView, 'findNumbersBetween'>,
  chain: Uint8Array,
  range: NumberRange,
  { from = 0, to = Number.MAX_SAFE_INTEGER }: UsageFilter,
): Promise<NumberRange> {
  if (from === 0 && to === Number.MAX_SAFE_INTEGER) return range;
  const between = await log.findNumbersBetween(chain, from, to);
  if (between === undefined) return { after: 0, last: 0 };
  return { after: Math.max(range.after, between.first - 1), last: Math.min(range.last, between.last) };
}

/**
 * The first `limit` matches of a range in ascending order, or the last ones. `next` is set if there are more matches, or if
 * `maxOpened` entries were opened before the end of the range. `matchesIn` returns the matches of `count` entries above a number.
 */
async function findOpened<T extends { readonly usage: Usage }>(
  { after, last, limit, isBackwards }: NumberRange & { readonly limit: number; readonly isBackwards: boolean },
  matchesIn: (from: number, count: number) => Promise<readonly T[]>,
): Promise<{ readonly found: readonly T[]; readonly next: number | undefined }> {
  let [low, high, opened] = [after, last, 0];
  const found: T[] = [];
  while (low < high && found.length <= limit && opened < maxOpened) {
    // One match more than the limit shows whether there is a next part.
    const count = Math.min(high - low, opened === 0 ? Math.min(limit + 1, chunkSize) : chunkSize);
    const matches = await matchesIn(isBackwards ? high - count : low, count);
    found.push(...(isBackwards ? matches.toReversed() : matches));
    if (isBackwards) high -= count;
    else low += count;
    opened += count;
  }
  const hasMore = found.length > limit;
  const kept = found.slice(0, limit);
  // `before` excludes its number, as `after` does.
  const openedUpTo = isBackwards ? high + 1 : low;
  const next = hasMore ? kept.at(-1)?.usage.number : low < high ? openedUpTo : undefined;
  return { found: isBackwards ? kept.toReversed() : kept, next };
}
