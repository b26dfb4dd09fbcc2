import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import { createNotificationApp } from '../../../test/support/notification-app.ts';
import { parseId } from '../../kernel/id.ts';
import { UnavailableError } from '../../kernel/unavailable-error.ts';
import { listInboxMessages } from '../list-inbox-messages.ts';
import { openInboxMessage } from '../open-inbox-message.ts';
import { findInboxPage, openMessageOfCitizen } from './citizen-inbox.ts';
import { findOwnMessage } from './own-message.ts';

const day = 86_400_000;
const start = Date.UTC(2026, 0, 15, 9);
const citizens = { 'cit-ada': {}, 'cit-bo': {} };

for (const engine of engines) {
  const setUp = async (t: Parameters<typeof engine.open>[0]) => {
    const db = await engine.open(t);
    const time = { now: start };
    const app = await createNotificationApp(db, { now: () => time.now }, citizens);
    const parts = { read: db.read, write: db.write, citizenKeys: app.citizenKeys, createId: app.createId };
    const send = async (citizenId: string, more: object = {}) => {
      const id = parseId('notification', await app.accept({ citizenId, ...more }));
      assert.ok(id !== undefined);
      return id;
    };
    /** Places a message in the inbox, as the worker does at `sendAt`. */
    const place = (id: string) =>
      db.write([{ sql: "update delivery set status = 'sent', ended_at = 1 where notification_id = $1", args: [id] }]);
    return { app, parts, send, place, time };
  };

  test(`${engine.name}: the inbox of a citizen contains only their own messages, and no message before its sendAt`, async (t) => {
    const { parts, send } = await setUp(t);
    const first = await send('cit-ada', { subject: 'One', message: 'Text 1' });
    await send('cit-ada', { sendAt: '2026-02-01T00:00:00Z' });
    await send('cit-bo');
    const { messages } = await findInboxPage(parts, 'cit-ada', { limit: 50 });
    assert.deepEqual(
      messages.map(({ notification, content }) => ({ id: notification.id, content })),
      [{ id: first, content: { subject: 'One', message: 'Text 1' } }],
    );
  });

  test(`${engine.name}: the access log of a citizen gets the subject of a message in the inbox, and of no other one`, async (t) => {
    const { app, parts, send, place } = await setUp(t);
    const now = await send('cit-ada', { subject: 'Now', message: 'Text', language: 'de' });
    const later = await send('cit-ada', { subject: 'Later', message: 'Text', sendAt: '2026-02-01T00:00:00Z' });
    const find = async (id: string, citizenId = 'cit-ada') => {
      const { state, title, language } = await findOwnMessage(parts, id, citizenId);
      return [state, title, language];
    };
    assert.deepEqual(await find(now), ['available', 'Now', 'de']);
    assert.deepEqual(await find(now, 'cit-bo'), ['erased', undefined, undefined]);
    assert.deepEqual(await find('ntf_x'), ['erased', undefined, undefined]);
    assert.deepEqual(await find(later), ['unavailable', undefined, undefined]);
    await place(later);
    assert.deepEqual(await find(later), ['available', 'Later', undefined]);
    await parts.write(app.citizenKeys.destructionStatements('cit-ada'));
    app.citizenKeys.evict('cit-ada');
    assert.deepEqual(await find(now), ['erased', undefined, undefined]);
  });

  test(`${engine.name}: the opening of a message proves its delivery and makes the notification read, once`, async (t) => {
    const { app, parts, send } = await setUp(t);
    const id = await send('cit-ada', { message: 'Text', channels: ['inbox'] });
    for (const at of [start + 1_000, start + 2_000]) {
      const opened = await openMessageOfCitizen(parts, 'cit-ada', { id, now: at });
      assert.ok(opened !== undefined);
      assert.deepEqual(opened.content, { message: 'Text' });
      await app.commit(opened.effect);
    }
    const shown = await app.show(id);
    assert.deepEqual(
      [shown['status'], shown['statusAt'], shown['timeline']],
      [
        'read',
        '2026-01-15T09:00:01.000Z',
        [
          { at: '2026-01-15T09:00:00.000Z', event: 'accepted' },
          { at: '2026-01-15T09:00:00.000Z', event: 'sent', channel: 'inbox' },
          { at: '2026-01-15T09:00:01.000Z', event: 'delivered', channel: 'inbox' },
          { at: '2026-01-15T09:00:01.000Z', event: 'read' },
        ],
      ],
    );
    const opened = (await app.events()).filter((type) => type === 'notification.opened');
    assert.equal(opened.length, 2);
  });

  test(`${engine.name}: concurrent openings of a message all succeed while its delivery is completed`, async (t) => {
    const { app, send } = await setUp(t);
    const id = await send('cit-ada', { message: 'Text' });
    const open = () => app.serve(openInboxMessage)({ params: { id } }, { citizenId: 'cit-ada' });
    // A concurrent change, as completing a delivery makes.
    const change = () => app.db.write([{ sql: 'update notification set revision = revision + 1', args: [] }]);
    const opening = Array.from({ length: 64 }, () => open());
    for (let count = 0; count < 8; count += 1) await change();
    for (const answer of await Promise.all(opening)) {
      assert.ok('json' in answer && answer.json['message'] === 'Text', JSON.stringify(answer));
    }
    const feedTypes = (await app.db.read('select type from feed_event')).map((row) => row['type']);
    assert.deepEqual(
      feedTypes.filter((type) => type === 'notification.opened'),
      ['notification.opened'],
    );
    const opened = (await app.events()).filter((type) => type === 'notification.opened');
    assert.equal(opened.length, 64);
  });

  test(`${engine.name}: messages are listed and opened in their own language while the register is unavailable`, async (t) => {
    const { app, send } = await setUp(t);
    const [plain, spanish] = [await send('cit-ada'), await send('cit-ada', { language: 'es' })];
    Object.assign(app.ports, {
      contactOf: () => Promise.reject(new UnavailableError('register-unavailable', 'as planned')),
    });
    const as = { citizenId: 'cit-ada' };
    const listed = await app.serve(listInboxMessages)({}, as);
    assert.ok('json' in listed, JSON.stringify(listed));
    const languages = (listed.json['items'] as Array<{ language: unknown }>).map(({ language }) => language);
    assert.deepEqual(languages, ['es', null]);
    for (const [id, language] of [
      [plain, null],
      [spanish, 'es'],
    ] as const) {
      const opened = await app.serve(openInboxMessage)({ params: { id } }, as);
      assert.ok('json' in opened && opened.json['language'] === language, JSON.stringify(opened));
    }
    Object.assign(app.ports, { contactOf: () => Promise.reject(new TypeError('a fault')) });
    await assert.rejects(app.serve(listInboxMessages)({}, as), TypeError);
  });

  test(`${engine.name}: another citizen cannot open a message, and nobody can open one that is not in the inbox`, async (t) => {
    const { parts, send } = await setUp(t);
    const id = await send('cit-ada');
    const later = await send('cit-ada', { sendAt: '2026-02-01T00:00:00Z' });
    assert.equal(await openMessageOfCitizen(parts, 'cit-bo', { id, now: start }), undefined);
    assert.equal(await openMessageOfCitizen(parts, 'cit-ada', { id: later, now: start }), undefined);
  });

  test(`${engine.name}: the inbox is sorted by the time when a message was placed, not by its acceptance`, async (t) => {
    const { app, send, place, time } = await setUp(t);
    const list = async (query: string) => {
      const answer = await app.serve(listInboxMessages)({ query }, { citizenId: 'cit-ada' });
      assert.ok('json' in answer);
      const items = answer.json['items'] as Array<{ id: string; createdAt: string; receivedAt: string }>;
      return { items, next: answer.json['next'] };
    };
    const march = await send('cit-ada', { sendAt: '2026-03-01T00:00:00Z' });
    const earlier = await send('cit-ada', { sendAt: '2026-02-15T09:00:00Z' });
    const never = await send('cit-ada', { sendAt: '2026-04-01T00:00:00Z' });
    time.now = start + 31 * day;
    const together = await send('cit-ada');
    await Promise.all([place(march), place(earlier)]);
    assert.deepEqual(
      (await list('')).items.map(({ id, createdAt, receivedAt }) => [id, createdAt, receivedAt]),
      [
        [march, '2026-01-15T09:00:00.000Z', '2026-03-01T00:00:00.000Z'],
        [together, '2026-02-15T09:00:00.000Z', '2026-02-15T09:00:00.000Z'],
        [earlier, '2026-01-15T09:00:00.000Z', '2026-02-15T09:00:00.000Z'],
      ],
    );
    const opened = await app.serve(openInboxMessage)({ params: { id: march } }, { citizenId: 'cit-ada' });
    assert.ok('json' in opened && opened.json['receivedAt'] === '2026-03-01T00:00:00.000Z');
    const paged: string[] = [];
    for (let query = 'limit=1'; ; ) {
      const { items, next } = await list(query);
      paged.push(...items.map(({ id }) => id));
      if (next === null) break;
      query = `limit=1&cursor=${String(next)}`;
    }
    assert.deepEqual(paged, [march, together, earlier]);
    assert.ok(!paged.includes(never));
  });

  test(`${engine.name}: a message that cannot be decrypted hides none of the older messages`, async (t) => {
    const { app, send, time } = await setUp(t);
    const sent: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      time.now += 1_000;
      sent.unshift(await send('cit-ada'));
    }
    const [first, broken, second, last, oldest] = sent;
    const damage = (id: string | undefined) =>
      app.db.write([{ sql: 'update notification set content = $2 where id = $1', args: [id ?? '', Buffer.alloc(80)] }]);
    await damage(broken);
    await damage(last);
    const paged: string[] = [];
    for (let query = 'limit=2'; query !== ''; ) {
      const answer = await app.serve(listInboxMessages)({ query }, { citizenId: 'cit-ada' });
      assert.ok('json' in answer);
      paged.push(...(answer.json['items'] as Array<{ id: string }>).map(({ id }) => id));
      query = answer.json['next'] === null ? '' : `limit=2&cursor=${String(answer.json['next'])}`;
    }
    assert.deepEqual(paged, [first, second, oldest]);
  });

  test(`${engine.name}: a page of the inbox starts only after a message of the same citizen`, async (t) => {
    const { app, send } = await setUp(t);
    const others = await send('cit-bo');
    for (const before of [others, app.createId('notification'), 'ntf_x', 'ntg', '0']) {
      const query = `cursor=${before}`;
      const answer = await app.serve(listInboxMessages)({ query }, { citizenId: 'cit-ada' });
      assert.ok('refused' in answer && answer.refused.slug === 'bad-request');
      assert.deepEqual(answer.refused.issues, [
        { in: 'query', name: 'cursor', code: 'malformed', detail: 'must be `next` of an earlier page' },
      ]);
    }
  });
}
