import { openEntryContent } from '../ledger/receipt-extra.ts';
import type { AccessLogDeps } from './access-log.ts';
import { operatorCode } from './access-log-filter.ts';
import { toUsage } from './usage.ts';

/** An organisation by which a citizen can filter the own access log. */
type UsingOrganisation = { readonly code: string; readonly name: string };

/** As many entries are opened, and this many at once. */
const [maxEntries, chunkSize] = [2_000, 200];

/**
 * The organisations of the citizen's last uses, sorted by name, and the one that runs this server. An organisation whose uses are all
 * concealed or erased is left out (test/scenarios/ledger-own-access-log.test.ts). That is why the entries are opened: the column with the
 * client of an entry would name it.
 */
export async function listUsingOrganisations(
  { log, citizenKeys, organisationOf }: Pick<AccessLogDeps, 'log' | 'citizenKeys' | 'organisationOf'>,
  citizenId: string,
  { now, total }: { readonly now: number; readonly total: number },
): Promise<UsingOrganisation[]> {
  const chain = citizenKeys.pseudonymOf(citizenId);
  const names = new Map([[operatorCode, organisationOf(operatorCode)]]);
  for (let after = Math.max(0, total - maxEntries); after < total; after += chunkSize) {
    for (const entry of await log.readChain(chain, after, Math.min(chunkSize, total - after))) {
      const content = openEntryContent({ entry: entry.entry, contentKey: await log.findContentKey(entry) });
      const { initiatorOrg } = toUsage(entry, content, { now, nameOf: organisationOf });
      if (initiatorOrg !== undefined) names.set(initiatorOrg.code, initiatorOrg.name);
    }
  }
  const organisations = [...names].map(([code, name]) => ({ code, name }));
  return organisations.sort((one, other) => (one.name < other.name ? -1 : 1));
}
