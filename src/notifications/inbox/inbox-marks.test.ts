import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import { createNotificationApp } from '../../../test/support/notification-app.ts';
import type { Operation } from '../../api/operation.ts';
import { eraseMessagesStatements } from '../erase-citizen-messages.ts';
import { exportInbox } from '../export-inbox.ts';
import { listInboxMessages } from '../list-inbox-messages.ts';
import { archiveInboxMessage, markInboxMessageUnread, restoreInboxMessage } from '../mark-inbox-message.ts';
import { openInboxMessage } from '../open-inbox-message.ts';
import type { NotificationPorts } from '../ports.ts';

const start = Date.UTC(2026, 0, 15, 9);
const ada = { citizenId: 'cit-ada' };
const markOperations = [archiveInboxMessage, restoreInboxMessage, markInboxMessageUnread];

type Item = Readonly<Record<string, unknown>> & { readonly id: string };
type List = { readonly items: readonly Item[]; readonly next: string | null; readonly unreadCount: number };

for (const engine of engines) {
  const setUp = async (t: Parameters<typeof engine.open>[0]) => {
    const db = await engine.open(t);
    const time = { now: start };
    const app = await createNotificationApp(db, { now: () => time.now }, { 'cit-ada': {}, 'cit-bo': {} });
    const run = async (operation: Operation<NotificationPorts>, parts: object) => {
      const answer = await app.serve(operation)(parts, ada);
      assert.ok('json' in answer, JSON.stringify(answer));
      return answer.json;
    };
    const send = async (body: object = {}, clientId = 'tax-office') => {
      time.now += 1_000;
      return await app.accept({ citizenId: 'cit-ada', ...body }, { clientId });
    };
    const list = async (query = '') => (await run(listInboxMessages, { query })) as unknown as List;
    const ids = async (query: string) => (await list(query)).items.map(({ id }) => id);
    return { db, app, run, send, list, ids };
  };

  test(`${engine.name}: an archived message is only in the archive until it is restored, and each change has an event`, async (t) => {
    const { app, run, send, ids } = await setUp(t);
    const [older, newer] = [await send(), await send()];
    const archived = await run(archiveInboxMessage, { params: { id: older } });
    assert.deepEqual(archived, { id: older, unread: true, archived: true });
    assert.deepEqual([await ids('archived=false'), await ids('archived=true')], [[newer], [older]]);
    assert.deepEqual(await ids(''), [newer, older]);
    await run(archiveInboxMessage, { params: { id: older } });
    const restored = await run(restoreInboxMessage, { params: { id: older } });
    assert.deepEqual(restored, { id: older, unread: true, archived: false });
    assert.deepEqual([await ids('archived=false'), await ids('archived=true')], [[newer, older], []]);
    const events = (await app.events()).filter((type) => /^inbox\.(?:archived|restored)$/.test(type));
    assert.deepEqual(events, ['inbox.archived', 'inbox.archived', 'inbox.restored']);
  });

  test(`${engine.name}: a message marked as unread is unread until the next opening, and stays archived`, async (t) => {
    const { app, run, send, list } = await setUp(t);
    const id = await send();
    const shown = async () => {
      const { items, unreadCount } = await list();
      const [item] = items;
      return { opened: item?.['opened'], unread: item?.['unread'], archived: item?.['archived'], unreadCount };
    };
    assert.deepEqual(await shown(), { opened: false, unread: true, archived: false, unreadCount: 1 });
    const opened = await run(openInboxMessage, { params: { id } });
    assert.deepEqual([opened['unread'], opened['unreadCount']], [false, 0]);
    assert.deepEqual(await shown(), { opened: true, unread: false, archived: false, unreadCount: 0 });
    await run(markInboxMessageUnread, { params: { id } });
    assert.deepEqual(await shown(), { opened: true, unread: true, archived: false, unreadCount: 1 });
    await run(archiveInboxMessage, { params: { id } });
    assert.deepEqual(await shown(), { opened: true, unread: true, archived: true, unreadCount: 0 });
    await run(openInboxMessage, { params: { id } });
    assert.deepEqual(await shown(), { opened: true, unread: false, archived: true, unreadCount: 0 });
    assert.equal((await app.events()).filter((type) => type === 'inbox.marked-unread').length, 1);
  });

  test(`${engine.name}: marks change neither the notification nor anything that its sender reads`, async (t) => {
    const { db, app, run, send } = await setUp(t);
    const [id, unopened] = [await send({ legalEffect: 'opened' }), await send()];
    await run(openInboxMessage, { params: { id } });
    const senderView = async () => ({
      rows: await db.read('select * from notification order by id'),
      deliveries: await db.read('select * from delivery order by id'),
      feed: await db.read('select * from feed_event order by id'),
      shown: [await app.show(id), await app.show(unopened)],
    });
    const before = await senderView();
    for (const operation of markOperations) {
      for (const one of [id, unopened]) await run(operation, { params: { id: one } });
    }
    assert.deepEqual(await senderView(), before);
  });

  test(`${engine.name}: a citizen cannot mark the message of another citizen, or one that is not in the inbox`, async (t) => {
    const { db, app, send } = await setUp(t);
    const foreign = await send({ citizenId: 'cit-bo' });
    const later = await send({ sendAt: '2026-02-01T00:00:00Z' });
    for (const operation of markOperations) {
      for (const id of [foreign, later, app.createId('notification'), 'ntf_x']) {
        const answer = await app.serve(operation)({ params: { id } }, ada);
        assert.ok('refused' in answer && answer.refused.slug === 'notification-not-found', JSON.stringify(answer));
      }
    }
    assert.deepEqual(await db.read('select notification_id from inbox_mark'), []);
  });

  test(`${engine.name}: a filtered list has only matching messages on all of its pages`, async (t) => {
    const { run, send, list, ids } = await setUp(t);
    const decisions: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      decisions.unshift(await send({ category: 'decision' }));
      await send({ category: 'urgent' }, 'permit-office');
    }
    const [newest = '', middle = '', oldest = ''] = decisions;
    await run(openInboxMessage, { params: { id: middle } });
    const paged: string[] = [];
    for (let query = 'category=decision&limit=2'; ; ) {
      const { items, next } = await list(query);
      paged.push(...items.map(({ id }) => id));
      if (next === null) break;
      query = `category=decision&limit=2&cursor=${next}`;
    }
    assert.deepEqual(paged, decisions);
    assert.deepEqual(await ids('senderId=tax-office&unread=true'), [newest, oldest]);
    assert.deepEqual(await ids('senderId=tax-office&unread=false'), [middle]);
    assert.deepEqual(await ids('senderId=permit-office&category=decision'), []);
    assert.equal((await ids('senderId=permit-office')).length, 3);
  });

  test(`${engine.name}: the senders of an inbox are those of its messages, and not those of messages still to come`, async (t) => {
    const { send, list } = await setUp(t);
    await send();
    await send({}, 'permit-office');
    await send({ sendAt: '2026-02-01T00:00:00Z' }, 'health-office');
    await send({ citizenId: 'cit-bo' }, 'court');
    const { unreadCount, ...rest } = (await list()) as List & { readonly senders: unknown };
    assert.deepEqual(
      [unreadCount, rest.senders],
      [
        2,
        [
          { id: 'permit-office', name: 'Tax Office' },
          { id: 'tax-office', name: 'Tax Office' },
        ],
      ],
    );
  });

  test(`${engine.name}: an export has the text of opened messages only, and opens none`, async (t) => {
    const { app, run, send } = await setUp(t);
    const [opened, unopened] = [await send({ message: 'Text **1**' }), await send({ message: 'Text 2' })];
    await run(openInboxMessage, { params: { id: opened } });
    await run(archiveInboxMessage, { params: { id: opened } });
    const first = await run(exportInbox, { body: { limit: 1 } });
    const second = await run(exportInbox, { body: { cursor: first['next'] } });
    const items = [...(first['items'] as Item[]), ...(second['items'] as Item[])];
    assert.deepEqual(
      items.map(({ id, message }) => [id, message]),
      [
        [unopened, null],
        [opened, 'Text **1**'],
      ],
    );
    assert.match(String(items[1]?.['html']), /Text <strong>1<\/strong>/);
    assert.notEqual((await app.show(unopened))['status'], 'read');
    assert.equal((await app.events()).filter((type) => type === 'inbox.exported').length, 2);
  });

  test(`${engine.name}: the erasure of a citizen deletes the marks of that citizen only`, async (t) => {
    const { db, app, run, send } = await setUp(t);
    await run(archiveInboxMessage, { params: { id: await send() } });
    const kept = await send({ citizenId: 'cit-bo' });
    await app.serve(archiveInboxMessage)({ params: { id: kept } }, { citizenId: 'cit-bo' });
    const erased = { citizenId: 'cit-ada', erasedId: 'erased-1', chain: Buffer.from('c'), keepsRegisterRow: true };
    await db.write(eraseMessagesStatements({ ...erased, now: start, proof: app.createId('event') }));
    assert.deepEqual(await db.read('select notification_id from inbox_mark'), [{ notification_id: kept }]);
  });
}
