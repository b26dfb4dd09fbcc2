import { type Static, Type } from 'typebox';
import { deriveLinkKey } from '../ledger/ledger-entry.ts';
import type { StoredCheckpoint } from '../ledger/ledger-store.ts';
import type { LogView } from '../ledger/log-view.ts';
import { openEntryContent } from '../ledger/receipt-extra.ts';
import type { SystemKeys } from '../ledger/system-keys.ts';

/** The proof that the register of endpoints only grew: its own chain in the ledger, with all contents readable. */
export const endpointRegisterProof = Type.Object(
  {
    chain: Type.String({ description: 'The pseudonym of the register in the ledger, in base64.' }),
    linkKey: Type.String({ description: 'The key that verifies the chain of its entries, in base64.' }),
    treeSize: Type.Integer(),
    entries: Type.Array(
      Type.Object(
        {
          number: Type.Integer({ description: 'The number of the entry, from 1 without gaps. It never changes.' }),
          endpoint: Type.String(),
          since: Type.String(),
          schemaHash: Type.String(),
          proof: Type.String({
            description: 'The proof of the entry as c2sp.org/tlog-proof, which you can verify offline.',
          }),
        },
        { $id: 'EndpointRegisterEntry' },
      ),
    ),
  },
  {
    $id: 'EndpointRegisterProof',
    description: 'The proof in the ledger that no endpoint was removed. Absent until the ledger contains all entries.',
  },
);
/** The proof that the register of endpoints only grew: its own chain in the ledger, with all contents readable. */
export type EndpointRegisterProof = Static<typeof endpointRegisterProof>;

const maxEntries = 2_000;

/**
 * Creates the proof once for each checkpoint, also for concurrent requests: it is public, and walks the tree for each endpoint.
 */
export function createEndpointRegisterProver(
  log: LogView,
  systemKeys: SystemKeys,
): () => Promise<EndpointRegisterProof | undefined> {
  let cached: { readonly size: number; readonly growth: Promise<EndpointRegisterProof> } | undefined;
  return async () => {
    const checkpoint = await log.publishedCheckpoint();
    if (checkpoint === undefined) return undefined;
    if (cached?.size !== checkpoint.size) {
      const started = { size: checkpoint.size, growth: proveAt(checkpoint, log, systemKeys) };
      cached = started;
      started.growth.catch(() => {
        if (cached === started) cached = undefined;
      });
    }
    return await cached.growth;
  };
}

async function proveAt(
  checkpoint: StoredCheckpoint,
  log: LogView,
  systemKeys: SystemKeys,
): Promise<EndpointRegisterProof> {
  const chain = systemKeys.chainOf('endpoints');
  const entries: EndpointRegisterProof['entries'] = [];
  for (const entry of await log.readChain(chain, 0, maxEntries)) {
    if (entry.index >= checkpoint.size) break;
    const contentKey = await log.findContentKey(entry);
    const content = openEntryContent({ entry: entry.entry, contentKey }) ?? {};
    entries.push({
      number: entry.number,
      endpoint: String(content['endpoint']),
      since: String(content['since']),
      schemaHash: String(content['schemaHash']),
      proof: await log.proveEntry(entry, checkpoint, contentKey),
    });
  }
  return {
    chain: Buffer.from(chain).toString('base64'),
    linkKey: deriveLinkKey(systemKeys.key).toString('base64'),
    treeSize: checkpoint.size,
    entries,
  };
}
