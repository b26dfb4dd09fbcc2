import { linkKeyOf } from '../ledger/entry.ts';
import type { HouseKeys } from '../ledger/house-keys.ts';
import type { StoredCheckpoint } from '../ledger/ledger-store.ts';
import type { LogView } from '../ledger/log-view.ts';
import { contentOf } from '../ledger/opening.ts';

/** The proof that the register of endpoints only grew: its own chain in the ledger, opened for everybody. */
export type RegisterGrowth = {
  readonly chain: string;
  readonly linkKey: string;
  readonly treeSize: number;
  readonly entries: readonly {
    readonly number: number;
    readonly endpoint: string;
    readonly since: string;
    readonly schemaHash: string;
    readonly proof: string;
  }[];
};

const mostEntries = 2_000;

/** Makes that proof, once for each checkpoint, also for those who ask at once: it is public, and costs a walk through the tree for each endpoint. */
export function createRegisterGrowth(log: LogView, houseKeys: HouseKeys): () => Promise<RegisterGrowth | undefined> {
  let made: { readonly size: number; readonly growth: Promise<RegisterGrowth> } | undefined;
  return async () => {
    const checkpoint = await log.published();
    if (checkpoint === undefined) return undefined;
    if (made?.size !== checkpoint.size) {
      const begun = { size: checkpoint.size, growth: growthAt(checkpoint, log, houseKeys) };
      made = begun;
      begun.growth.catch(() => {
        if (made === begun) made = undefined;
      });
    }
    return await made.growth;
  };
}

async function growthAt(checkpoint: StoredCheckpoint, log: LogView, houseKeys: HouseKeys): Promise<RegisterGrowth> {
  const chain = houseKeys.chainOf('endpoints');
  const entries: RegisterGrowth['entries'][number][] = [];
  for (const entry of await log.chain(chain, 0, mostEntries)) {
    if (entry.index >= checkpoint.size) break;
    const contentKey = await log.contentKey(entry);
    const content = contentOf({ entry: entry.entry, contentKey }) ?? {};
    entries.push({
      number: entry.number,
      endpoint: String(content['endpoint']),
      since: String(content['since']),
      schemaHash: String(content['schemaHash']),
      proof: await log.prove(entry, checkpoint, contentKey),
    });
  }
  return {
    chain: Buffer.from(chain).toString('base64'),
    linkKey: linkKeyOf(houseKeys.key).toString('base64'),
    treeSize: checkpoint.size,
    entries,
  };
}
