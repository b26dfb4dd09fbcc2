import assert from 'node:assert/strict';
import { createLog } from '../../src/api/log.ts';
import { createIdGenerator } from '../../src/kernel/id.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';

const rejectStoreAccess = () => Promise.reject(new Error('this server has no store'));

/** A house for servers of which only the way to an operation is tested: nobody is admitted, and nothing is stored. */
export const storelessContext = {
  authorizer: {
    authenticate: rejectStoreAccess,
    missingScope: () => assert.fail('no scope is needed'),
    takeQuota: () => assert.fail('no quota is taken'),
  },
  clock: systemClock,
  mint: createIdGenerator(systemClock, systemRandom),
  read: rejectStoreAccess,
  commit: rejectStoreAccess,
  fingerprintKey: new Uint8Array(32),
};

/** What a server on it is made of, where a test says nothing else: nothing to serve, and nothing told. */
export const storelessServerOptions = {
  app: storelessContext,
  ...{ operations: [], pages: [], mounts: [], publicUrl: 'http://127.0.0.1', apiVersion: '1.0.0' },
  ...{ random: systemRandom, log: createLog('silent') },
};
