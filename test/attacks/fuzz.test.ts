import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/database-engines.ts';
import { fuzzEngine } from './fuzz-server.ts';

// A small run, the same each time; scripts/fuzz-requests.ts makes large ones with other seeds.
const [requests, seed] = [1_000, 20_261_126];

for (const { name: engine } of engines) {
  test(`${engine}: mutated and broken requests cause no fault in the responses, log, memory and event loop`, async (t) => {
    const faults = await fuzzEngine(t, { engine, seed, requests, report: (line) => t.diagnostic(line) });
    assert.deepEqual(faults, []);
  });
}
