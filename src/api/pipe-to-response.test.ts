import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import type { ByteChunks } from './operation.ts';
import { pipeToResponse } from './pipe-to-response.ts';

const mib = 1_048_576;

/** Chunks that share one buffer, each filled with one byte value. `seen` records what the source has done. */
function reused(count: number, fault?: Error) {
  const memory = Buffer.alloc(mib);
  const seen = { given: 0, closed: Promise.withResolvers<void>() };
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      for (; seen.given < count; ) {
        seen.given += 1;
        yield memory.fill(seen.given);
      }
      if (fault !== undefined) throw fault;
    } finally {
      memory.fill(0);
      seen.closed.resolve();
    }
  }
  return { seen, pieces: pieces() };
}

/** Serves the chunks to one client, and returns its unread response; `length` is the declared length, if any. */
async function served(t: TestContext, pieces: ByteChunks, length?: number): Promise<IncomingMessage> {
  const server = createServer((_request, response) => {
    if (length !== undefined) response.setHeader('content-length', length);
    void pipeToResponse(pieces, response, length);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const asked = get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, agent: false });
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return response;
}

for (const announced of [undefined, 40 * mib]) {
  const lengthTitle = announced === undefined ? 'without its length' : 'with its length';
  test(`a slow reader of a response ${lengthTitle} receives every chunk whole, although all chunks share one buffer`, async (t) => {
    const { seen, pieces } = reused(40);
    const response = await served(t, pieces, announced);
    for (let turn = 0; turn < 200; turn += 1) await nextTurn();
    assert.ok(seen.given < 40, 'the source waits for the reader');
    const all = Buffer.concat(await response.toArray());
    assert.equal(all.length, 40 * mib);
    for (let piece = 0; piece < 40; piece += 1) {
      assert.ok(all.subarray(piece * mib, (piece + 1) * mib).every((byte) => byte === piece + 1));
    }
    await seen.closed.promise;
  });
}

test('a response ends at its declared length, even if its source has more bytes or fails afterwards', async (t) => {
  const { seen, pieces } = reused(3, new Error('a fault after the last byte'));
  const response = await served(t, pieces, 2 * mib);
  assert.equal(Buffer.concat(await response.toArray()).length, 2 * mib);
  await seen.closed.promise;
  assert.equal(seen.given, 3);
  const empty = await served(t, reused(0).pieces, 0);
  assert.deepEqual(await empty.toArray(), []);
});

test('the source of a response is closed when its client disconnects', async (t) => {
  const { seen, pieces } = reused(1_000);
  const response = await served(t, pieces);
  response.destroy();
  await seen.closed.promise;
  assert.ok(seen.given < 1_000);
});

test('a response ends early when its source fails', async (t) => {
  for (const announced of [undefined, 5 * mib]) {
    const response = await served(t, reused(3, new Error('a chunk does not authenticate')).pieces, announced);
    await assert.rejects(response.toArray(), /aborted/);
  }
});

test('a long response does not accumulate listeners or memory', async (t) => {
  const promises = () => Number(queryObjects(Promise, { format: 'count' }));
  const counted: number[] = [];
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let given = 0; given <= 2_000; given += 1) {
      if (given % 1_000 === 0) counted.push(promises());
      yield Buffer.alloc(1);
    }
  }
  const response = await served(t, pieces());
  assert.equal((await response.toArray()).length > 0, true);
  const [, first = 0, second = 0] = counted;
  assert.ok(second - first < 100, `${second - first} promises of a thousand pieces`);
});
