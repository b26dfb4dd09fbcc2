import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { createFirstSlot } from '../../api/connection-balancer.ts';
import { inboxAndEmailPolicy } from '../../notifications/cascade/cascade.ts';
import { startThreadPool } from './thread-pool.ts';

const never = () => assert.fail('nobody asks for it');

test('after a thread could not start, the next is begun when a minute has passed, and not before', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const told: string[] = [];
  let [begun, spawned] = [0, 0];
  const spawning = () => {
    spawned += 1;
  };
  const threads = startThreadPool({
    app: {
      // Asked for at the beginning of each.
      db: { share: spawning } as never,
      log: {
        ...{ request: never, refused: never, notice: never, lines: never },
        fault: (where, fault) => told.push(`${where}: ${fault instanceof Error ? fault.message : fault}`),
      },
    },
    threadOptions: {
      ...{ environment: {}, isDemo: true, cascade: inboxAndEmailPolicy, rootKeyPath: '/nowhere/root.key' },
      ...{ port: 0, publicUrl: 'http://localhost' },
    },
    seat: createFirstSlot(2),
    pages: [],
    wakeJob: never,
    server: { begun: () => (begun += 1_000) },
    metrics: { sum: never },
    onLost: never,
  });
  const halfSeconds = (looks: number) => {
    // The event loop does nothing between two looks but this.
    for (let look = 0; look < looks; look += 1) t.mock.timers.tick(500);
  };
  // Before its first turn the event loop counts as idle.
  await new Promise(setImmediate);
  halfSeconds(10);
  await waitUntil(async () => told.length === 1);
  halfSeconds(119);
  assert.equal(spawned, 1);
  halfSeconds(1);
  assert.equal(spawned, 2);
  await waitUntil(async () => told.length === 2);
  assert.deepEqual(
    told.map((line) => line.slice(0, 55)),
    new Array(2).fill('api-thread: a thread could not start: no root key at /n'),
  );
  await threads.stop();
});
