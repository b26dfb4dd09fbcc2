import type { RootKey } from '../crypto/root-key.ts';
import type { Read } from '../db/database.ts';
import { createSystemKeys } from './system-keys.ts';

/**
 * Refuses a root key file whose root is that of the database while its `lasting` keys are not, as a copy of the first line
 * alone: every citizen would get a new pseudonym, and no secret of a webhook would open. The endpoints, which the first
 * start writes to the ledger, stand under a pseudonym of these keys.
 */
export async function refuseMismatchedSubkeys(read: Read, root: RootKey): Promise<void> {
  const [row] = await read(
    `select e.chain from ledger_entry e join endpoint p on p.event_id = e.event_id
      where exists (select 1 from signing_key where root_key_id = $1) limit 1`,
    [root.id],
  );
  const chain = row?.['chain'];
  if (!(chain instanceof Uint8Array) || Buffer.from(chain).equals(createSystemKeys(root).chainOf('endpoints'))) return;
  throw new Error(
    `the file of root key ${root.id} lacks its lines \`lasting\`, or has others than this database was written under. Bring the whole file back from your copy; see docs/operating.md#the-root-key`,
  );
}
