import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createQuotas, defaultQuota, type Quota, quotaExceeded, rateLimitHeaders } from './quota.ts';

function frozen(at = 1_800_000_000_000) {
  const clock = { at, now: () => clock.at };
  return clock;
}

test('a client without a quota of its own has 2,000 requests at once and 1,000 a second', () => {
  const clock = frozen();
  const quotas = createQuotas(clock);
  let last = quotas.take('a', 'documents:read');
  for (let sent = 1; sent < 2_000; sent += 1) last = quotas.take('a', 'documents:read');
  assert.deepEqual(last, {
    allowed: true,
    policy: 'documents:read',
    quota: defaultQuota,
    remaining: 0,
    resetSeconds: 1,
  });
  assert.equal(quotas.take('a', 'documents:read').allowed, false);
  clock.at += 1_000;
  let allowed = 0;
  while (quotas.take('a', 'documents:read').allowed) allowed += 1;
  assert.equal(allowed, 1_000);
});

test('one client or scope takes nothing from another', () => {
  const quotas = createQuotas(frozen());
  const quota = { perSecond: 1, burst: 1 };
  assert.equal(quotas.take('a', 'documents:read', quota).allowed, true);
  assert.equal(quotas.take('a', 'documents:read', quota).allowed, false);
  assert.equal(quotas.take('a', 'documents:write', quota).allowed, true);
  assert.equal(quotas.take('b', 'documents:read', quota).allowed, true);
});

test('what is said to remain is what succeeds, and after the seconds said one more does', () => {
  fc.assert(
    fc.property(
      fc.record({ perSecond: fc.integer({ min: 1, max: 50 }), burst: fc.integer({ min: 1, max: 30 }) }),
      fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 60 }),
      (quota: Quota, waits) => {
        const clock = frozen();
        const quotas = createQuotas(clock);
        let said = quotas.take('a', 's', quota);
        for (const wait of waits) {
          clock.at += wait;
          said = quotas.take('a', 's', quota);
        }
        for (let left = said.remaining; left > 0; left -= 1) assert.equal(quotas.take('a', 's', quota).allowed, true);
        const refused = quotas.take('a', 's', quota);
        assert.equal(refused.allowed, false);
        clock.at += refused.resetSeconds * 1_000;
        assert.equal(quotas.take('a', 's', quota).allowed, true);
      },
    ),
    { numRuns: 200, seed: 20261120 },
  );
});

test('a clock that is set back grants no second burst', () => {
  const clock = frozen();
  const quotas = createQuotas(clock);
  const quota = { perSecond: 10, burst: 5 };
  for (let sent = 0; sent < 5; sent += 1) quotas.take('a', 's', quota);
  clock.at -= 60_000;
  assert.equal(quotas.take('a', 's', quota).allowed, false);
  clock.at += 60_000;
  assert.equal(quotas.take('a', 's', quota).allowed, false);
});

test('headers and refusal tell the same numbers', () => {
  const quotas = createQuotas(frozen());
  const quota = { perSecond: 10, burst: 20 };
  const first = quotas.take('a', 'identity:verify', quota);
  assert.deepEqual(rateLimitHeaders(first), {
    'ratelimit-policy': '"identity:verify";q=20;w=2',
    ratelimit: '"identity:verify";r=19;t=1',
    'x-ratelimit-limit': '20',
    'x-ratelimit-remaining': '19',
    'x-ratelimit-reset': '1',
  });
  for (let sent = 0; sent < 19; sent += 1) quotas.take('a', 'identity:verify', quota);
  const refused = quotaExceeded(quotas.take('a', 'identity:verify', quota), () => Uint8Array.of(5));
  assert.deepEqual(refused, {
    slug: 'quota-exceeded',
    detail: "Policy 'identity:verify' allows 10 requests in a second, and 20 at once.",
    members: { 'violated-policies': ['identity:verify'] },
    headers: {
      'ratelimit-policy': '"identity:verify";q=20;w=2',
      ratelimit: '"identity:verify";r=0;t=1',
      'x-ratelimit-limit': '20',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '1',
      'retry-after': '3',
    },
  });
});
