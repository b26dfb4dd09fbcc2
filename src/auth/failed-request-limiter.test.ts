import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFailedRequestLimiter } from './failed-request-limiter.ts';

test('[R59] a client whose failed requests exceed half of its quota is refused, and other clients are not', () => {
  const clock = { at: 1_800_000_000_000, now: () => clock.at };
  const checks = createFailedRequestLimiter(clock, () => Uint8Array.of(0));
  const caller = { clientId: 'a', quota: { perSecond: 1, burst: 10 } };
  for (let failed = 0; failed < 5; failed += 1) checks.count(caller);
  assert.equal(checks.refusal('a'), undefined);
  checks.count(caller);
  assert.deepEqual(checks.refusal('a'), {
    slug: 'too-many-failed-requests',
    detail: 'Too many requests of this client asked for unknown ids, or sent claims that do not match.',
    headers: { 'retry-after': '1' },
  });
  assert.equal(checks.refusal('b'), undefined);
  clock.at += 1_000;
  assert.equal(checks.refusal('a'), undefined);
});
