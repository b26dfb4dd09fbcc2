import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import { deriveLinkKey } from '../ledger/ledger-entry.ts';
import type { StoredCheckpoint } from '../ledger/ledger-store.ts';
import type { LogView, StoredEntry } from '../ledger/log-view.ts';
import { openEntryContent } from '../ledger/receipt-extra.ts';
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
};

/**
 * The uses of a citizen's data with numbers above `after`, in order and without gaps, as far as they are signed; with `before`
 * the last ones below that number. A concealed use, or one that names an employee, has its encrypted entry and proof, but not
 * its content key.
 */
export async function readAccessLog(
  { log, citizenKeys, organisationOf, explanationOf }: AccessLogDeps,
  citizenId: string,
  { after, before, limit, now, checkpoint: givenCheckpoint }: AccessLogQuery,
) {
  const chain = citizenKeys.pseudonymOf(citizenId);
  const checkpoint = givenCheckpoint ?? (await log.publishedCheckpoint());
  const size = checkpoint?.size ?? 0;
  const total = (await log.findLastEntry(chain, size))?.number ?? 0;
  // The numbers of a chain have no gaps.
  const end = Math.min(before === undefined ? total : before - 1, total);
  const from = before === undefined ? after : Math.max(after, end - limit);
  const wanted = Math.min(limit, end - from);
  const found = wanted > 0 ? await log.readChain(chain, from, wanted) : [];
  const entries = found.filter(({ index }) => index < size);
  const key = await citizenKeys.keyOf(citizenId);
  const prove = checkpoint === undefined ? undefined : log.createEntryProver(checkpoint);
  // Concurrently: each proof takes several ticks of the event loop.
  const usages = await Promise.all(prove === undefined ? [] : entries.map((entry) => toProvenUsage(entry, prove)));

  async function toProvenUsage(
    entry: StoredEntry,
    proofOf: ReturnType<LogView['createEntryProver']>,
  ): Promise<Usage & { readonly proof: string }> {
    const contentKey = await log.findContentKey(entry);
    const content = openEntryContent({ entry: entry.entry, contentKey });
    const isSealed = content === undefined || isHidden(content, now) || namesEmployee(content);
    const proof = await proofOf(entry, isSealed ? undefined : contentKey);
    const usage = toUsage(entry, content, { now, nameOf: organisationOf });
    const verification = usage.usage === 'identity.verified' ? usage.details?.['verification'] : undefined;
    if (typeof verification !== 'string') return { ...usage, proof };
    const explanation = await explanationOf(verification, citizenId);
    return { ...usage, ...(explanation === undefined ? {} : { explanation }), proof };
  }

  return {
    totalUsages: total,
    returnedUsages: usages.length,
    usages,
    // With pseudonym and link key of the citizen's chain, anyone can check that no number is missing.
    chain: Buffer.from(chain).toString('base64'),
    linkKey: deriveLinkKey(key).toString('base64'),
    // For uses from before the import of the citizen.
    earlierLinkKey: deriveLinkKey(await citizenKeys.earlierKeyOf(citizenId)).toString('base64'),
  };
}
