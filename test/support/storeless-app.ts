import assert from 'node:assert/strict';
import { createLog } from '../../src/api/log.ts';
import { createIdGenerator } from '../../src/kernel/id.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';

const rejectStoreAccess = () => Promise.reject(new Error('this server has no store'));

/** The context of servers without a store, for tests of the HTTP layer: they authenticate no client and store nothing. */
export const storelessContext = {
  authorizer: {
    authenticate: rejectStoreAccess,
    missingScope: () => assert.fail('no scope is needed'),
    takeQuota: () => assert.fail('no quota is taken'),
  },
  clock: systemClock,
  createId: createIdGenerator(systemClock, systemRandom),
  read: rejectStoreAccess,
  commit: rejectStoreAccess,
  fingerprintKey: new Uint8Array(32),
};

/** The default options of such a server: it has no operations or pages, and writes no log. */
export const storelessServerOptions = {
  app: storelessContext,
  operations: [],
  pages: [],
  mounts: [],
  publicUrl: 'http://127.0.0.1',
  apiVersion: '1.0.0',
  random: systemRandom,
  log: createLog('silent'),
};
