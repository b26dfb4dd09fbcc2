import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdGenerator } from '../kernel/id.ts';
import { systemClock, systemRandom } from '../kernel/system-clock.ts';
import { createCommitter } from './commit.ts';
import type { LedgerEvent } from './ledger-event.ts';

const createId = createIdGenerator(systemClock, systemRandom);

function eventOf(type: 'policy.added' | 'register.counted'): LedgerEvent {
  const head = { id: createId('event'), at: 1, actor: { process: 'start' } } as const;
  return type === 'policy.added' ? { type, ...head, name: 'strict', digest: 'x' } : { type, ...head, persons: 3 };
}

function openCommitter() {
  const log: string[] = [];
  let isRefused = false;
  const write = async () => {
    if (isRefused) throw new TypeError('refused');
    log.push('written');
    return [];
  };
  const citizenKeys = { keyOf: () => assert.fail('no citizen'), pseudonymOf: () => assert.fail('no citizen') };
  const onFault = (fault: unknown) => log.push(`fault: ${fault instanceof Error ? fault.message : fault}`);
  const committer = createCommitter({ db: { write }, citizenKeys, random: systemRandom, onFault });
  const refuseNext = () => {
    isRefused = true;
  };
  return { ...committer, log, refuseNext };
}

test('a subscriber gets the events of its types after the write, once for each effect', async () => {
  const { commit, onCommitted, log } = openCommitter();
  onCommitted(['policy.added', 'client.created'], (events) => log.push(events.map(({ type }) => type).join()));
  await commit({
    events: [eventOf('policy.added'), eventOf('register.counted'), eventOf('policy.added')],
    statements: [],
  });
  await commit({ events: [eventOf('register.counted')], statements: [] });
  assert.deepEqual(log, ['written', 'policy.added,policy.added', 'written']);
});

test('a subscriber gets the queues that an effect names, and none if the effect names none', async () => {
  const { commit, onCommitted } = openCommitter();
  const seen: unknown[] = [];
  onCommitted(['policy.added'], (_events, queues) => seen.push(queues));
  await commit({ events: [eventOf('policy.added')], statements: [], queues: new Set(['email 0']) });
  await commit({ events: [eventOf('policy.added')], statements: [] });
  assert.deepEqual(seen, [new Set(['email 0']), undefined]);
});

test('a refused effect reaches no subscriber', async () => {
  const { commit, onCommitted, log, refuseNext } = openCommitter();
  onCommitted(['policy.added'], () => log.push('called'));
  refuseNext();
  await assert.rejects(commit({ events: [eventOf('policy.added')], statements: [] }), { message: 'refused' });
  assert.deepEqual(log, []);
});

test('a subscriber that throws is reported, and the commit and the other subscribers are not affected', async () => {
  const { commit, onCommitted, log } = openCommitter();
  onCommitted(['policy.added'], () => {
    throw new TypeError('broken subscriber');
  });
  onCommitted(['policy.added'], () => log.push('called'));
  await commit({ events: [eventOf('policy.added')], statements: [] });
  assert.deepEqual(log, ['written', 'fault: broken subscriber', 'called']);
});
