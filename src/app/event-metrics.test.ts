import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdGenerator } from '../kernel/id.ts';
import { systemClock, systemRandom } from '../kernel/system-clock.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { createCountingCommit } from './event-metrics.ts';

const mint = createIdGenerator(systemClock, systemRandom);
const eventAt = (at: number): LedgerEvent => ({
  ...{ type: 'inbox.listed', id: mint('event'), at, actor: { citizen: true }, citizenId: 'c-1', shown: 0 },
});

test('what was stored before there were metrics is counted once they begin, and what was refused never', async () => {
  const { commit, begin } = createCountingCommit(async ({ events: [{ at }] }) => {
    if (at === 0) throw new Error('refused');
    return [];
  });
  const counted: number[] = [];
  await commit({ events: [eventAt(1), eventAt(2)], statements: [] });
  await assert.rejects(commit({ events: [eventAt(0)], statements: [] }));
  begin(({ at }) => counted.push(at));
  assert.deepEqual(counted, [1, 2]);
  await commit({ events: [eventAt(3)], statements: [] });
  await assert.rejects(commit({ events: [eventAt(0)], statements: [] }));
  assert.deepEqual(counted, [1, 2, 3]);
});
