import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExchange } from '../../test/exchange.ts';
import { storelessHouse } from '../../test/storeless-house.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { createLog } from './log.ts';
import { createApiServer } from './server.ts';

test('behind https every answer says that it stays https, and nothing is redirected', async (t) => {
  const server = createApiServer({
    house: storelessHouse,
    ...{ operations: [], pages: [], mounts: [], publicUrl: 'https://api.example.gov', apiVersion: '1.0.0' },
    random: systemRandom,
    log: createLog('silent'),
  });
  const ask = createExchange(`http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`);
  t.after(() => server.stop(1_000));
  for (const path of ['/', '/v1/nowhere', '/%zz', `/${'x'.repeat(9_000)}`]) {
    const { status, headers } = await ask({ path });
    assert.ok(status >= 400);
    assert.deepEqual([headers['strict-transport-security'], headers.location], ['max-age=31536000', undefined]);
  }
});
