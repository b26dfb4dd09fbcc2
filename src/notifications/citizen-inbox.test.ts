import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/engines.ts';
import { createNotificationHouse } from '../../test/notification-house.ts';
import { parseId } from '../kernel/id.ts';
import { listInbox, openMessage } from './citizen-inbox.ts';

const start = Date.UTC(2026, 0, 15, 9);
const citizens = { 'cit-ada': {}, 'cit-bo': {} };

for (const engine of engines) {
  const setUp = async (t: Parameters<typeof engine.open>[0]) => {
    const db = await engine.open(t);
    const house = await createNotificationHouse(db, { now: () => start }, citizens);
    const parts = { read: db.read, citizenKeys: house.citizenKeys, mint: house.mint };
    const send = async (citizenId: string, more: object = {}) => {
      const id = parseId('notification', await house.accept({ citizenId, ...more }));
      assert.ok(id !== undefined);
      return id;
    };
    return { house, parts, send };
  };

  test(`${engine.name}: a citizen sees what was sent to that citizen, and nothing before its time`, async (t) => {
    const { parts, send } = await setUp(t);
    const first = await send('cit-ada', { subject: 'One', message: 'Text 1' });
    await send('cit-ada', { sendAt: '2026-02-01T00:00:00Z' });
    await send('cit-bo');
    const messages = await listInbox(parts, 'cit-ada', { limit: 50 });
    assert.deepEqual(
      messages.map(({ notification, content }) => ({ id: notification.id, content })),
      [{ id: first, content: { subject: 'One', message: 'Text 1' } }],
    );
  });

  test(`${engine.name}: opening proves the delivery and makes the notification read, once`, async (t) => {
    const { house, parts, send } = await setUp(t);
    const id = await send('cit-ada', { message: 'Text', channels: ['inbox'] });
    for (const at of [start + 1_000, start + 2_000]) {
      const opened = await openMessage(parts, 'cit-ada', { id, now: at });
      assert.ok(opened !== undefined);
      assert.deepEqual(opened.content, { message: 'Text' });
      await house.commit(opened.effect);
    }
    const shown = await house.show(id);
    assert.deepEqual(
      [shown['status'], shown['statusAt'], shown['timeline']],
      [
        'read',
        '2026-01-15T09:00:01.000Z',
        [
          { at: '2026-01-15T09:00:00.000Z', event: 'accepted' },
          { at: '2026-01-15T09:00:01.000Z', event: 'delivered', channel: 'inbox' },
          { at: '2026-01-15T09:00:01.000Z', event: 'read' },
        ],
      ],
    );
    const opened = (await house.events()).filter((type) => type === 'notification.opened');
    assert.equal(opened.length, 2);
  });

  test(`${engine.name}: nobody else can open it, and nobody can open what is not in the inbox`, async (t) => {
    const { parts, send } = await setUp(t);
    const id = await send('cit-ada');
    const later = await send('cit-ada', { sendAt: '2026-02-01T00:00:00Z' });
    assert.equal(await openMessage(parts, 'cit-bo', { id, now: start }), undefined);
    assert.equal(await openMessage(parts, 'cit-ada', { id: later, now: start }), undefined);
  });
}
