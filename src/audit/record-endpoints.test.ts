import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { buildLedgerApp } from '../../test/support/ledger-app.ts';
import type { Endpoint } from '../api/endpoint-register.ts';
import type { Commit } from '../ledger/commit.ts';
import { recordEndpoints } from './record-endpoints.ts';

const endpoint: Endpoint = {
  name: 'one',
  since: '1.0',
  method: 'GET',
  path: '/v1/one',
  scope: null,
  callers: ['clients'],
  summary: 'One',
  schemaHash: 'sha-256:a',
};

for (const engine of engines) {
  test(`${engine.name}: one of several processes that start together records an endpoint, and a changed schema is recorded again`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const parts = { ...app, read: app.db.read };
    const counts = await Promise.all([1, 2, 3].map(() => recordEndpoints([endpoint], parts)));
    assert.deepEqual(counts.sort(), [0, 0, 1]);
    const grown = { ...endpoint, schemaHash: 'sha-256:b' };
    assert.deepEqual([await recordEndpoints([endpoint, grown], parts), await recordEndpoints([grown], parts)], [1, 0]);
    const rows = await app.db.read('select name, schema_hash from endpoint order by schema_hash');
    assert.deepEqual(
      rows.map((row) => row['schema_hash']),
      ['sha-256:a', 'sha-256:b'],
    );
  });

  test(`${engine.name}: an endpoint that cannot be recorded for another reason stops the start`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const parts = { ...app, read: app.db.read };
    const away: Commit = () => Promise.reject(new Error('no database'));
    await assert.rejects(recordEndpoints([endpoint], { ...parts, commit: away }), /no database/);
    const refused = recordEndpoints([{ ...endpoint, since: null as unknown as string }], parts);
    await assert.rejects(refused, { kind: 'not_null' });
  });
}
