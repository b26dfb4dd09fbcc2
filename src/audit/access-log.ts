import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import { deriveLinkKey } from '../ledger/ledger-entry.ts';
import type { StoredCheckpoint } from '../ledger/ledger-store.ts';
import type { LogView, StoredEntry } from '../ledger/log-view.ts';
import { openEntryContent } from '../ledger/receipt-extra.ts';
import { isHidden, namesEmployee, toUsage, type Usage, type UsageExplanation } from './usage.ts';

/** What telling a citizen's access log needs. */
export type AccessLogDeps = {
  readonly log: LogView;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'decoyKeyOf' | 'pseudonymOf'>;
  /** The name of the organisation behind a client. */
  readonly organisationOf: (clientId: string) => string;
  /** Why that check of a citizen's details was answered as it was, where that is kept. */
  readonly explanationOf: (verification: string, citizenId: string) => Promise<UsageExplanation | undefined>;
};

/** A part of a citizen's access log, each use with the proof that it stands in the signed log. */
export type AccessLogPage = {
  readonly totalUsages: number;
  readonly returnedUsages: number;
  readonly usages: readonly (Usage & { readonly proof: string })[];
  /** Pseudonym and key of the citizen's own chain, in base64: with them anyone sees that no number was left out. */
  readonly chain: string;
  readonly linkKey: string;
  /** The same for what happened before the register had the citizen, which was linked by another key. */
  readonly earlierLinkKey: string;
};

export type AccessLogQuery = {
  readonly after: number;
  /** With it the last ones before that number. */
  readonly before?: number | undefined;
  readonly limit: number;
  readonly now: number;
  /** The tree that all parts are read from; without it the one that is published now. */
  readonly checkpoint?: StoredCheckpoint | undefined;
};

/**
 * The uses of a citizen's data after the number `after`, in their order and without gaps, as far as they are signed; with
 * `before` the last of those that come before that number. A
 * hidden one, and one that names an employee, comes with its sealed entry and proof, and without the key of what it says.
 */
export async function readAccessLog(
  { log, citizenKeys, organisationOf, explanationOf }: AccessLogDeps,
  citizenId: string,
  { after, before, limit, now, checkpoint: givenCheckpoint }: AccessLogQuery,
): Promise<AccessLogPage> {
  const chain = citizenKeys.pseudonymOf(citizenId);
  const checkpoint = givenCheckpoint ?? (await log.publishedCheckpoint());
  const size = checkpoint?.size ?? 0;
  const total = await totalOf(log, chain, size);
  // The numbers of a chain have no gaps.
  const end = Math.min(before === undefined ? total : before - 1, total);
  const from = before === undefined ? after : Math.max(after, end - limit);
  const wanted = Math.min(limit, end - from);
  const found = wanted > 0 ? await log.readChain(chain, from, wanted) : [];
  const entries = found.filter(({ index }) => index < size);
  const key = await citizenKeys.keyOf(citizenId);
  const prove = checkpoint === undefined ? undefined : log.createEntryProver(checkpoint);
  // All at once: one after the other each would wait for several turns of the event loop.
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
    chain: Buffer.from(chain).toString('base64'),
    linkKey: deriveLinkKey(key).toString('base64'),
    earlierLinkKey: deriveLinkKey(citizenKeys.decoyKeyOf(citizenId)).toString('base64'),
  };
}

async function totalOf(log: LogView, chain: Uint8Array, size: number): Promise<number> {
  const last = await log.findLastEntry(chain, size);
  return last?.number ?? 0;
}
