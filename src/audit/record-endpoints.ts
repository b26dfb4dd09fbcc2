import type { Endpoint } from '../api/endpoint-register.ts';
import { type Read, WriteRefused } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { IdGenerator } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';

/**
 * Writes each endpoint that is published for the first time, or with new schemas, to the ledger. Called at the start. If
 * several processes start together, the unique key lets one of them write. Returns the number of written endpoints.
 */
export async function recordEndpoints(
  endpoints: readonly Endpoint[],
  deps: { readonly read: Read; readonly commit: Commit; readonly createId: IdGenerator; readonly clock: Clock },
): Promise<number> {
  const known = new Set(
    (await deps.read('select name, schema_hash from endpoint')).map((row) => `${row['name']} ${row['schema_hash']}`),
  );
  let recorded = 0;
  for (const endpoint of endpoints) {
    if (known.has(`${endpoint.name} ${endpoint.schemaHash}`)) continue;
    recorded += await recordEndpoint(endpoint, deps);
  }
  return recorded;
}

async function recordEndpoint(
  endpoint: Endpoint,
  deps: { readonly commit: Commit; readonly createId: IdGenerator; readonly clock: Clock },
): Promise<number> {
  const { name, since, method, path, schemaHash } = endpoint;
  const id = deps.createId('event');
  const at = deps.clock.now();
  try {
    await deps.commit({
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
