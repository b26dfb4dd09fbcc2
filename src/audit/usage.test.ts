import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdGenerator } from '../kernel/id.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { toUsage } from './usage.ts';

const at = Date.UTC(2026, 0, 15, 9);
const eventId = createIdGenerator({ now: () => at }, systemRandom)('event');
const bytes = new Uint8Array();
const entry = { index: 4, eventId, at, type: '', clientId: null, number: 7, entry: bytes, citizenId: 'anna' };

function usageOf(content: Readonly<Record<string, unknown>>) {
  return toUsage(entry, content, { now: at, nameOf: (clientId) => `the ${clientId}` });
}

test('an entry is a disclosure, processing for a client, or internal processing', () => {
  const kinds = ['document.retrieved', 'access-log.read', 'notification.accepted'];
  assert.deepEqual(
    kinds.map((type) => usageOf({ type }).processingType),
    ['DATA_RESPONSE', 'INTERNAL_PROCESSING', 'DATA_PROCESSING'],
  );
});

test('the actor is an organisation or a kind of actor, and no employee is named', () => {
  const actors = [
    { client: 'tax' },
    { citizen: true },
    { operator: 'ops-ida' },
    { process: 'worker' },
    undefined,
    null,
  ];
  assert.deepEqual(
    actors.map((actor) => {
      const { initiator, initiatorOrg } = usageOf({ type: 'document.erased', actor });
      return initiator ?? initiatorOrg;
    }),
    [{ type: 'GOV', code: 'tax', name: 'the tax' }, 'citizen', 'operator', 'system', 'system', 'system'],
  );
  assert.doesNotMatch(JSON.stringify(actors.map((actor) => usageOf({ type: 'document.erased', actor }))), /ida/);
});

test('a concealed use is hidden until its instant, and then shown with its reason', () => {
  const until = (ms: number) => ({
    type: 'x',
    hiddenUntil: new Date(at + ms).toISOString(),
    hiddenReason: 'a law',
    n: 1,
  });
  assert.deepEqual(usageOf(until(1)), { number: 7, logTime: '2026-01-15T09:00:00.000Z', state: 'hidden' });
  const { state, hiddenUntil, hiddenReason, details } = usageOf(until(0));
  assert.deepEqual([state, hiddenReason, details], ['shown', 'a law', { n: 1 }]);
  assert.equal(hiddenUntil, new Date(at).toISOString());
});
