import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listenForShutdown } from './shutdown-signal.ts';

const listening = () => ['SIGTERM', 'SIGINT'].map((signal) => process.listenerCount(signal));

test('a second signal of either kind ends a process that is stopping', async () => {
  const before = listening();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    using stop = listenForShutdown();
    assert.notDeepEqual(listening(), before);
    process.emit(signal);
    await stop.received;
    assert.deepEqual(listening(), before);
  }
});
