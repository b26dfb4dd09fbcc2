import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryAfterMs } from './retry-after.ts';

const now = Date.UTC(1994, 10, 6, 8, 49, 0);
const day = 86_400_000;

test('seconds and each form of an HTTP date give the delay', () => {
  for (const [header, ms] of [
    ['7', 7_000],
    ['86400', day],
    // The three examples of RFC 9110, section 5.6.7.
    ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 37_000],
    ['Sun Nov  6 08:49:37 1994', 37_000],
    ['Mon, 07 Nov 1994 08:49:00 GMT', day],
  ] as const)
    assert.equal(retryAfterMs(header, now), ms, header);
});

test('a header that is malformed, in the past or more than a day ahead gives no delay', () => {
  for (const header of [
    ...[undefined, '', '0', '-1', '1.5', '86401', '1e3', '0x10', ' 7', 'soon', '1994-11-06T08:49:37Z'],
    ...['Sun, 06 Nov 1994 08:49:00 GMT', 'Sun, 06 Nov 1994 08:48:59 GMT', 'Mon, 07 Nov 1994 08:49:01 GMT'],
    ...['Sun, 06 Nov 1994 08:49:37 CET', 'Sun, 99 Nov 1994 08:49:37 GMT', 'Sun, 06 Foo 1994 08:49:37 GMT'],
    `Sun, 06 Nov 1994 08:49:37 GMT${' '.repeat(10_000)}`,
  ])
    assert.equal(retryAfterMs(header, now), undefined, String(header));
});
