import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/database-engines.ts';
import { fuzzEngine } from './fuzz-server.ts';

// A small run; scripts/fuzz-requests.ts makes large ones.
const requests = 1_000;

for (const { name: engine } of engines) {
  test(`${engine}: mutated and broken requests are each answered as declared, never with 5xx, and leave no trace`, async (t) => {
    const seed = Math.floor(Math.random() * 1_000_000);
    t.diagnostic(`seed ${seed}`);
    const faults = await fuzzEngine(t, { engine, seed, requests, report: (line) => t.diagnostic(line) });
    assert.deepEqual(faults, [], `seed ${seed}`);
  });
}
