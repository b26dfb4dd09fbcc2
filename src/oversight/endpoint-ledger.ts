import type { Endpoint } from '../api/endpoint-register.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Mint } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';
import { type Read, WriteRefused } from '../store/db.ts';

/**
 * Writes each endpoint that this installation publishes for the first time, or with new schemas, to the ledger. Called
 * at start; with several processes starting at once the first one writes, and the others find it written.
 */
export async function recordEndpoints(
  endpoints: readonly Endpoint[],
  house: { readonly read: Read; readonly commit: Commit; readonly mint: Mint; readonly clock: Clock },
): Promise<number> {
  const known = new Set(
    (await house.read('select name, schema_hash from endpoint')).map((row) => `${row['name']} ${row['schema_hash']}`),
  );
  let recorded = 0;
  for (const endpoint of endpoints) {
    if (known.has(`${endpoint.name} ${endpoint.schemaHash}`)) continue;
    recorded += await recordOne(endpoint, house);
  }
  return recorded;
}

async function recordOne(
  endpoint: Endpoint,
  house: { readonly commit: Commit; readonly mint: Mint; readonly clock: Clock },
): Promise<number> {
  const { name, since, method, path, schemaHash } = endpoint;
  const id = house.mint('event');
  const at = house.clock.now();
  try {
    await house.commit({
      events: [
        {
          type: 'endpoint.registered',
          id,
          at,
          actor: { process: 'start' },
          endpoint: `${method} ${path}`,
          since,
          schemaHash,
        },
      ],
      statements: [
        {
          sql: 'insert into endpoint (name, schema_hash, since, method, path, event_id, registered_at) values ($1, $2, $3, $4, $5, $6, $7)',
          args: [name, schemaHash, since, method, path, id, at],
        },
      ],
    });
    return 1;
  } catch (fault) {
    if (fault instanceof WriteRefused && fault.kind === 'unique') return 0;
    throw fault;
  }
}
