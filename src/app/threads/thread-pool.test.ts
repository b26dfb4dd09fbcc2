import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inboxAndEmailPolicy } from '../../notifications/cascade/cascade.ts';
import { startThreadPool } from './thread-pool.ts';

const unexpectedCall = () => assert.fail('not expected');

test('each thread that cannot start is reported once with the reason', async () => {
  const { promise: allLost, resolve } = Promise.withResolvers<void>();
  const faults: Error[] = [];
  const pool = startThreadPool({
    app: {
      db: { share: () => undefined } as never,
      log: {
        request: unexpectedCall,
        refused: unexpectedCall,
        notice: unexpectedCall,
        warning: unexpectedCall,
        lines: unexpectedCall,
        fault: unexpectedCall,
      },
    },
    threadOptions: {
      environment: {},
      isDemo: true,
      cascade: inboxAndEmailPolicy,
      rootKeyPath: '/nowhere/root.key',
      port: 0,
      publicUrl: 'http://localhost',
      apiThreads: 3,
    },
    pages: [],
    wakeJob: unexpectedCall,
    onLost: (fault) => {
      faults.push(fault);
      if (faults.length === 2) resolve();
    },
  });
  await allLost;
  await pool.stop();
  assert.deepEqual(
    faults.map(({ message }) => message.slice(0, 53)),
    new Array(2).fill('An API thread could not start: no root key at /nowher'),
  );
  assert.deepEqual(await pool.snapshots(), []);
});
