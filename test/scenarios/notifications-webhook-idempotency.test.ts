import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWebhook } from '../../src/notifications/create-webhook.ts';
import { listWebhooks } from '../../src/notifications/list-webhooks.ts';
import { engines } from '../support/database-engines.ts';
import { createNotificationApp } from '../support/notification-app.ts';

const body = { url: 'http://127.0.0.1:9/calls' };

for (const engine of engines) {
  test(`${engine.name}: repeated creations with one idempotency key create one webhook and return the same secret`, async (t) => {
    const db = await engine.open(t);
    const app = await createNotificationApp(db, { now: () => Date.UTC(2026, 0, 15, 9) }, {});
    const [create, list] = [app.serve(createWebhook), app.serve(listWebhooks)];
    const first = await create({ body }, { key: 'one' });
    assert.ok('json' in first);
    const again = await create({ body }, { key: 'one' });
    assert.ok('json' in again);
    assert.deepEqual([again.status, again.json], [201, first.json]);
    assert.match(String(again.json['secret']), /^whsec_/);
    assert.deepEqual(
      [again.headers['idempotent-replayed'], again.headers['cache-control']],
      ['true', first.headers['cache-control']],
    );
    const other = await create({ body: { ...body, signature: 'v1a' } }, { key: 'one' });
    assert.ok('refused' in other && other.refused.slug === 'idempotency-key-reused');
    const listed = await list({});
    assert.ok('json' in listed);
    assert.deepEqual(
      (listed.json['items'] as { id: unknown }[]).map(({ id }) => id),
      [first.json['id']],
    );
    const [stored] = await db.read('select body from idempotency');
    assert.doesNotMatch(String(stored?.['body']), /whsec|secret|127\.0\.0\.1/);
    assert.deepEqual(await app.events(), ['webhook.changed']);
  });
}
