import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import { createNotificationApp } from '../../../test/support/notification-app.ts';
import { listInboxMessages } from '../list-inbox-messages.ts';
import { archiveInboxMessage } from '../mark-inbox-message.ts';
import { searchInbox } from '../search-inbox.ts';
import { maxSearched } from './search-inbox-messages.ts';

const start = Date.UTC(2026, 0, 15, 9);
const documents = { doc_01M7WKVMFEE008WANFAS9XRDZX: 'Steuerbescheid' };

type Found = { readonly ids: readonly string[]; readonly next: string | null; readonly searched: number };

for (const engine of engines) {
  const setUp = async (t: Parameters<typeof engine.open>[0]) => {
    const db = await engine.open(t);
    const time = { now: start };
    const people = { 'cit-ada': {}, 'cit-bo': {} };
    const app = await createNotificationApp(db, { now: () => time.now }, people, { documents });
    const send = async (body: object) => {
      time.now += 1_000;
      return await app.accept({ citizenId: 'cit-ada', ...body });
    };
    const search = async (body: object, citizenId = 'cit-ada'): Promise<Found> => {
      const answer = await app.serve(searchInbox)({ body }, { citizenId });
      assert.ok('json' in answer, JSON.stringify(answer));
      const { items, next, searched } = answer.json;
      const ids = (items as { id: string }[]).map(({ id }) => id);
      return { ids, next: next as string | null, searched: Number(searched) };
    };
    return { db, app, send, search };
  };

  test(`${engine.name}: a search finds words of the subject, the text, the reference and the documents, in any case`, async (t) => {
    const { send, search } = await setUp(t);
    const cafe = await send({ subject: 'Café licence', message: 'Pay **by Friday**.', reference: 'TA-2025-118' });
    const tax = await send({ message: 'See the notice.', attachments: Object.keys(documents) });
    const filled = await send({
      message: 'Your case ((case)) is closed.',
      personalisation: { case: 'a_b*c' },
    });
    await send({ citizenId: 'cit-bo', subject: 'Café of somebody else' });
    for (const [text, expected] of [
      ['CAFE', [cafe]],
      ['by friday', [cafe]],
      ['friday  licence', [cafe]],
      ['ta-2025', [cafe]],
      ['steuerbescheid', [tax]],
      ['a_b*c', [filled]],
      ['licence notice', []],
      ['**', []],
    ] as const)
      assert.deepEqual((await search({ text })).ids, expected, text);
    assert.equal((await search({ text: 'licence' }, 'cit-bo')).ids.length, 0);
  });

  test(`${engine.name}: a search respects the filters, opens no message, and has one event`, async (t) => {
    const { db, app, send, search } = await setUp(t);
    const inInbox = await send({ message: 'Parking permit', category: 'decision' });
    const archived = await send({ message: 'Parking fine' });
    await app.serve(archiveInboxMessage)({ params: { id: archived } }, { citizenId: 'cit-ada' });
    assert.deepEqual((await search({ text: 'zzyxword' })).ids, []);
    assert.deepEqual((await search({ text: 'parking' })).ids, [archived, inInbox]);
    assert.deepEqual((await search({ text: 'parking', archived: true })).ids, [archived]);
    assert.deepEqual((await search({ text: 'parking', category: 'decision', unread: true })).ids, [inInbox]);
    const events = (await app.events()).filter((type) => type.startsWith('inbox.searched'));
    assert.equal(events.length, 4);
    const statuses = await db.read("select id from notification where status = 'read'");
    assert.deepEqual(statuses, []);
  });

  test(`${engine.name}: a search that stops continues after its last message, and returns each message once`, async (t) => {
    const { send, search } = await setUp(t);
    const sent: string[] = [];
    for (let count = 0; count < 5; count += 1) sent.unshift(await send({ message: count === 2 ? 'no' : 'parking' }));
    const seen: string[] = [];
    let body: object = { text: 'parking', limit: 2 };
    for (let pages = 0; pages < 5; pages += 1) {
      const { ids, next } = await search(body);
      seen.push(...ids);
      if (next === null) break;
      body = { text: 'parking', limit: 2, cursor: next };
    }
    assert.deepEqual(seen, [sent[0], sent[1], sent[3], sent[4]]);
  });

  test(`${engine.name}: a search of a large inbox says how many messages it searched, and finds the others when it continues`, async (t) => {
    const { send, search } = await setUp(t);
    const oldest = await send({ message: 'The oldest one' });
    for (let count = 0; count < maxSearched / 50 + 1; count += 1) {
      await Promise.all(Array.from({ length: 50 }, () => send({ message: 'Another one' })));
    }
    const first = await search({ text: 'oldest' });
    assert.deepEqual([first.ids, first.searched], [[], maxSearched]);
    assert.ok(first.next !== null);
    const second = await search({ text: 'oldest', cursor: first.next });
    assert.deepEqual(second, { ids: [oldest], next: null, searched: 51 });
  });

  test(`${engine.name}: a search cannot start after a message of another citizen`, async (t) => {
    const { app, send } = await setUp(t);
    const foreign = await send({ citizenId: 'cit-bo' });
    const answer = await app.serve(searchInbox)({ body: { text: 'a', cursor: foreign } }, { citizenId: 'cit-ada' });
    assert.ok('refused' in answer && answer.refused.slug === 'bad-request');
    assert.deepEqual(answer.refused.issues, [
      { in: 'body', pointer: '/cursor', code: 'malformed', detail: 'must be `next` of an earlier response' },
    ]);
  });

  test(`${engine.name}: the deadline of an answer is listed exactly as its sender wrote it`, async (t) => {
    const { app, send } = await setUp(t);
    for (const respondBy of ['2026-12-04', '2026-12-04T12:00:00+01:00']) await send({ respondBy });
    await send({});
    const answer = await app.serve(listInboxMessages)({}, { citizenId: 'cit-ada' });
    assert.ok('json' in answer);
    const deadlines = (answer.json['items'] as { respondBy: unknown }[]).map(({ respondBy }) => respondBy);
    assert.deepEqual(deadlines, [null, '2026-12-04T12:00:00+01:00', '2026-12-04']);
  });
}
