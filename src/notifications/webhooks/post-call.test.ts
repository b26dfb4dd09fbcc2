import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryObjects } from 'node:v8';
import { startWebhookReceiver } from '../../../test/support/webhook-receiver.ts';
import { createHostResolver } from '../../net/resolve-host.ts';
import { postOnce } from '../channels/gateway-request.ts';
import { createPostWebhookCall } from './post-call.ts';

/** The number of reachable signals: `queryObjects` collects garbage first. */
const signals = () => Number(queryObjects(AbortSignal, { format: 'count' }));

test('a call that has ended leaves no abort signal in memory, even with a long timeout', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const url = new URL(receiver.url);
  const timeoutMs = 600_000;
  const post = createPostWebhookCall({ resolve: createHostResolver(true), allowPrivate: true, timeoutMs });
  const calls = {
    webhook: () => post({ url, body: '{}', headers: {} }),
    sms: () => postOnce(url, { headers: {}, body: '{}' }, timeoutMs),
  };
  for (const [name, call] of Object.entries(calls)) {
    await call();
    const before = signals();
    for (let made = 0; made < 20; made += 1) assert.ok('status' in (await call()));
    const left = signals() - before;
    assert.ok(left <= 1, `${left} signals of 20 calls of ${name}`);
  }
});
