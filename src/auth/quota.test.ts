import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Quota } from './caller.ts';
import { createQuotaLimiter } from './quota.ts';

function frozen(at = 1_800_000_000_000) {
  const clock = { at, now: () => clock.at };
  return clock;
}
const noJitter = () => Uint8Array.of(0);
const succeeds = (taken: { refusal?: unknown }) => taken.refusal === undefined;

test('a client without its own quota has a burst of 2,000 requests and 1,000 a second', () => {
  const clock = frozen();
  const quotas = createQuotaLimiter(clock, noJitter);
  const taken = () => {
    let count = 0;
    while (succeeds(quotas.take({ clientId: 'a' }, 'documents:read'))) count += 1;
    return count;
  };
  assert.equal(taken(), 2_000);
  clock.at += 1_000;
  assert.equal(taken(), 1_000);
  clock.at += 3_600_000;
  assert.equal(taken(), 2_000);
});

test('the quota of one client and scope does not affect others', () => {
  const quotas = createQuotaLimiter(frozen(), noJitter);
  const quota = { perSecond: 1, burst: 1 };
  assert.equal(succeeds(quotas.take({ clientId: 'a', quota }, 'documents:read')), true);
  assert.equal(succeeds(quotas.take({ clientId: 'a', quota }, 'documents:read')), false);
  assert.equal(succeeds(quotas.take({ clientId: 'a', quota }, 'documents:write')), true);
  assert.equal(succeeds(quotas.take({ clientId: 'b', quota }, 'documents:read')), true);
});

test('[R61] exactly the reported remaining requests succeed, and one more after the reported seconds', () => {
  const quotaOf = fc.record({ perSecond: fc.integer({ min: 1, max: 50 }), burst: fc.integer({ min: 1, max: 30 }) });
  const waits = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 60 });
  fc.assert(
    fc.property(quotaOf, waits, (quota: Quota, pauses) => {
      const clock = frozen();
      const quotas = createQuotaLimiter(clock, noJitter);
      const take = () => quotas.take({ clientId: 'a', quota }, 's');
      let said = take();
      for (const pause of pauses) {
        clock.at += pause;
        said = take();
      }
      for (let left = Number(said.headers['x-ratelimit-remaining']); left > 0; left -= 1) assert.ok(succeeds(take()));
      const refused = take();
      assert.equal(succeeds(refused), false);
      clock.at += Number(refused.headers['x-ratelimit-reset']) * 1_000;
      assert.ok(succeeds(take()));
    }),
    { numRuns: 200, seed: 20261120 },
  );
});

test('a charge takes later requests in advance, up to one burst, and requests succeed after the reported seconds', () => {
  const clock = frozen();
  const quotas = createQuotaLimiter(clock, noJitter);
  const caller = { clientId: 'a', quota: { perSecond: 10, burst: 20 } };
  assert.ok(succeeds(quotas.take(caller, 's')));
  quotas.charge(caller, 's', 9);
  assert.equal(quotas.take(caller, 's').headers['x-ratelimit-remaining'], '9');
  for (const [requests, seconds] of [
    [12, 1],
    [1_000, 3],
  ] as const) {
    quotas.charge(caller, 's', requests);
    const refused = quotas.take(caller, 's');
    assert.equal(refused.headers['x-ratelimit-remaining'], '0');
    assert.equal(refused.headers['x-ratelimit-reset'], String(seconds));
    assert.equal(refused.refusal?.headers?.['retry-after'], String(seconds));
    clock.at += seconds * 1_000 - 1_000;
    if (seconds > 1) assert.equal(succeeds(quotas.take(caller, 's')), false);
    clock.at += 1_000;
    assert.ok(succeeds(quotas.take(caller, 's')));
  }
  assert.ok(succeeds(quotas.take(caller, 'other')));
});

test('[R62] headers and refusal report the same numbers, and Retry-After is at least the reset', () => {
  const quotas = createQuotaLimiter(frozen(), () => Uint8Array.of(5));
  const caller = { clientId: 'a', quota: { perSecond: 10, burst: 20 } };
  assert.deepEqual(quotas.take(caller, 'identity:verify'), {
    headers: {
      'ratelimit-policy': '"identity:verify";q=20;w=2',
      ratelimit: '"identity:verify";r=19;t=1',
      'x-ratelimit-limit': '20',
      'x-ratelimit-remaining': '19',
      'x-ratelimit-reset': '1',
    },
  });
  for (let sent = 0; sent < 19; sent += 1) quotas.take(caller, 'identity:verify');
  assert.deepEqual(quotas.take(caller, 'identity:verify'), {
    headers: {
      'ratelimit-policy': '"identity:verify";q=20;w=2',
      ratelimit: '"identity:verify";r=0;t=1',
      'x-ratelimit-limit': '20',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '1',
    },
    refusal: {
      slug: 'quota-exceeded',
      detail: "Policy 'identity:verify' allows 10 requests per second, and 20 at once.",
      members: { 'violated-policies': ['identity:verify'] },
      headers: { 'retry-after': '3' },
    },
  });
});
