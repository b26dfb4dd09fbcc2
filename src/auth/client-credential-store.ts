import type { Database, Read, Statement } from '../db/database.ts';
import { integerOrNull, textField } from '../db/row-fields.ts';
import { type Clock, elapsedMs } from '../kernel/clock.ts';
import type { Client } from './client.ts';
import { credentialsOf } from './client-credential.ts';

/** Stores when a client got new credentials; for the write unit of `client.changed`. */
export function insertAddedCredentials(before: Client, after: Client, now: number): Statement[] {
  const known = new Set(credentialsOf(before).map(({ id }) => id));
  const added = credentialsOf(after).filter(({ id }) => !known.has(id));
  return added.map(({ id }) => ({
    sql: `insert into client_credential (client_id, credential_id, added_at) values ($1, $2, $3)
      on conflict (client_id, credential_id) do update set added_at = excluded.added_at`,
    args: [after.clientId, id, now],
  }));
}

/** Times of a credential (epoch ms); undefined if they are not known. */
export type CredentialTimes = { readonly addedAt: number | undefined; readonly lastUsedAt: number | undefined };

/** More keys of one `jwks_uri` are not shown. */
const maxShown = 100;

/** The stored times of the credentials of a client by their id, those that were used last first. */
export async function findCredentialTimes(read: Read, clientId: string): Promise<ReadonlyMap<string, CredentialTimes>> {
  const rows = await read(
    `select credential_id, added_at, last_used_at from client_credential where client_id = $1
      order by coalesce(last_used_at, added_at) desc, credential_id limit ${maxShown}`,
    [clientId],
  );
  return new Map(
    rows.map((row) => [
      textField(row, 'credential_id'),
      {
        addedAt: integerOrNull(row, 'added_at') ?? undefined,
        lastUsedAt: integerOrNull(row, 'last_used_at') ?? undefined,
      },
    ]),
  );
}

/** Each process stores the use of a credential at most once in this time, so most token requests need no further write. */
const storedEveryMs = 3_600_000;

/** Creates the function that stores the use of a credential. */
export function createCredentialUseRecorder({
  db,
  clock,
}: {
  readonly db: Pick<Database, 'write'>;
  readonly clock: Clock;
}) {
  const storedAt = new Map<string, number>();
  return async (clientId: string, credentialId: string): Promise<void> => {
    const name = `${clientId}\0${credentialId}`;
    const last = storedAt.get(name);
    if (last !== undefined && elapsedMs(last, clock) < storedEveryMs) return;
    const now = clock.now();
    storedAt.set(name, now);
    await db.write([
      {
        sql: `insert into client_credential (client_id, credential_id, last_used_at) values ($1, $2, $3)
          on conflict (client_id, credential_id) do update set last_used_at = excluded.last_used_at`,
        args: [clientId, credentialId, now],
      },
    ]);
  };
}
