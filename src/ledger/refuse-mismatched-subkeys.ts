import type { RootKey } from '../crypto/root-key.ts';
import { RootKeyError } from '../crypto/root-key-file.ts';
import type { Read } from '../db/database.ts';
import { createSystemKeys } from './system-keys.ts';

/**
 * Rejects a root key file whose root key belongs to the database while its `lasting` lines do not, such as a copy of the first
 * line alone. Otherwise every citizen would get a new pseudonym, and no webhook secret would open. The check uses the endpoint
 * entries, which the first start writes under a pseudonym of these subkeys.
 */
export async function refuseMismatchedSubkeys(read: Read, root: RootKey): Promise<void> {
  const [row] = await read(
    `select e.chain from ledger_entry e join endpoint p on p.event_id = e.event_id
      where exists (select 1 from signing_key where root_key_id = $1) limit 1`,
    [root.id],
  );
  const chain = row?.['chain'];
  if (!(chain instanceof Uint8Array) || Buffer.from(chain).equals(createSystemKeys(root).chainOf('endpoints'))) return;
  throw new RootKeyError(
    `the file of root key ${root.id} has no lines \`lasting\`, or not those of this database. Restore the whole file from your copy`,
  );
}
