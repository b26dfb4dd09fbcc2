import assert from 'node:assert/strict';
import { createMint } from '../src/kernel/id.ts';
import { systemClock, systemRandom } from '../src/kernel/system-clock.ts';

const never = () => Promise.reject(new Error('this server has no store'));

/** A house for servers of which only the way to an operation is tested: nobody is admitted, and nothing is stored. */
export const storelessHouse = {
  gate: {
    authenticate: never,
    missingScope: () => assert.fail('no scope is needed'),
    take: () => assert.fail('no quota is taken'),
  },
  clock: systemClock,
  mint: createMint(systemClock, systemRandom),
  read: never,
  commit: never,
  printKey: new Uint8Array(32),
  ports: null,
};
