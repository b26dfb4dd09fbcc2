import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import { createIdGenerator } from '../../kernel/id.ts';
import { systemRandom } from '../../kernel/system-clock.ts';
import { countCodeAttempt } from './presentation-store.ts';

for (const engine of engines) {
  test(`${engine.name}: five typed codes are counted, and further ones are refused before they are compared`, async (t) => {
    const db = await engine.open(t);
    const now = Date.UTC(2026, 5, 1);
    const id = createIdGenerator({ now: () => now }, systemRandom)('presentation');
    await db.write([
      {
        sql: `insert into presentation (id, client_id, status, created_at, expires_at, terms, pending)
          values ($1, 'permits', 'answered', $2, $2, $3, $3)`,
        args: [id, now, Buffer.from('sealed')],
      },
    ]);
    const counted = await Promise.all(Array.from({ length: 7 }, () => db.write([countCodeAttempt(id)])));
    assert.deepEqual(counted.map(([rows]) => rows?.[0]?.['code_attempts'] ?? null).sort(), [1, 2, 3, 4, 5, null, null]);
  });
}
