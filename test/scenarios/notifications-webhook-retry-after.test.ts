import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PostWebhookCall } from '../../src/notifications/webhooks/post-call.ts';
import { engines } from '../support/database-engines.ts';
import { minuteMs } from '../support/delivery-app.ts';
import { openWebhookCalls } from '../support/webhook-app.ts';

for (const engine of engines) {
  test(`${engine.name}: a receiver that answers Retry-After is called again at that time and not before`, async (t) => {
    const answers = [
      '3600',
      '1',
      'Wed, 21 Oct 2026 07:28:00 GMT',
      () => new Date(time.clock.now() + 10 * 60 * minuteMs).toUTCString(),
    ];
    let calls = 0;
    const post: PostWebhookCall = async () => {
      const retryAfter = answers[calls++];
      return { status: 503, retryAfter: typeof retryAfter === 'function' ? retryAfter() : retryAfter };
    };
    const { time, calling, createEvent } = await openWebhookCalls(t, await engine.open(t), { post });
    const callsAfter = async (ms: number) => {
      await time.advance(ms, calling.idle);
      return calls;
    };
    await createEvent();
    await calling.idle();
    assert.deepEqual([calls, await callsAfter(60 * minuteMs - 1), await callsAfter(1)], [1, 1, 2]);
    // A time before the planned one, or more than a day ahead, changes nothing: 5 and 30 minutes, plus up to 10 %.
    assert.deepEqual([await callsAfter(5 * minuteMs - 1), await callsAfter(minuteMs)], [2, 3]);
    assert.deepEqual([await callsAfter(29 * minuteMs), await callsAfter(4 * minuteMs)], [3, 4]);
    // A date 10 hours ahead, later than the planned 2 hours.
    assert.deepEqual([await callsAfter(9 * 60 * minuteMs), await callsAfter(60 * minuteMs)], [4, 5]);
  });
}
