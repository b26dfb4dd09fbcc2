import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { fetchUntilAccepted } from './demo.ts';

test('a demo waits for the time in Retry-After while the server refuses requests under load, and stops after a limit', async (t) => {
  let refusals = 2;
  const server = createServer((request, response) => {
    request.resume();
    refusals -= 1;
    if (refusals < 0) response.writeHead(201).end('taken');
    else response.writeHead(503, { 'retry-after': '2' }).end('busy');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const pauses: number[] = [];
  const pause = async (ms: number) => void pauses.push(ms);
  const ask = () => fetchUntilAccepted(url, { method: 'POST', body: 'a document' }, pause);
  const taken = await ask();
  assert.deepEqual([taken.status, await taken.text(), pauses], [201, 'taken', [2_000, 2_000]]);
  refusals = Number.POSITIVE_INFINITY;
  const refused = await ask();
  assert.deepEqual([refused.status, await refused.text(), pauses.length], [503, 'busy', 2 + 59]);
});
