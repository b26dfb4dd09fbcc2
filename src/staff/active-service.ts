import type { StaffMember } from '../auth/caller.ts';
import type { Client } from '../auth/client.ts';
import { findClient } from '../auth/client-store.ts';
import type { Read } from '../db/database.ts';

/**
 * The client of the person's service; undefined if the person belongs to none, or if it is unknown or disabled. The token may also name the
 * client of this server itself, which has no row: its messages contain codes, which staff must not read.
 */
export async function findActiveService(
  read: Read,
  { service }: Pick<StaffMember, 'service'>,
): Promise<Client | undefined> {
  const client = service === null ? undefined : await findClient(read, service);
  return client?.disabledAt === undefined ? client : undefined;
}
