import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { createNotificationApp } from '../../test/support/notification-app.ts';
import { listNotifications } from './list-notifications.ts';

const hour = 3_600_000;
const citizens = { 'cit-ada': { email: 'ada@example.org' }, 'cit-bo': { email: 'bo@example.org' } };

for (const engine of engines) {
  const setUp = async (t: Parameters<typeof engine.open>[0]) => {
    const time = { now: Date.UTC(2026, 0, 15, 9) };
    const db = await engine.open(t);
    return { time, db, app: await createNotificationApp(db, { now: () => time.now }, citizens) };
  };

  test(`${engine.name}: the sender reads the whole state, and the citizen's access log records it`, async (t) => {
    const { app } = await setUp(t);
    const id = await app.accept({ citizenId: 'cit-ada', subject: 'S', reference: 'r1', category: 'decision' });
    const shown = await app.show(id);
    const deliveries = shown['deliveries'] as Array<{ id: string }>;
    assert.deepEqual(shown, {
      id,
      citizenId: 'cit-ada',
      reference: 'r1',
      category: 'decision',
      status: 'accepted',
      statusAt: '2026-01-15T09:00:00.000Z',
      createdAt: '2026-01-15T09:00:00.000Z',
      deliverBy: '2026-01-29T09:00:00.000Z',
      receipt: shown['receipt'],
      language: null,
      deliveries: [
        { id: deliveries[0]?.id, channel: 'inbox', status: 'sent', attempts: 0, endedAt: '2026-01-15T09:00:00.000Z' },
        {
          id: deliveries[1]?.id,
          channel: 'email',
          status: 'queued',
          attempts: 0,
        },
      ],
      timeline: [
        { at: '2026-01-15T09:00:00.000Z', event: 'accepted' },
        { at: '2026-01-15T09:00:00.000Z', event: 'sent', channel: 'inbox' },
      ],
    });
    assert.deepEqual(await app.events(), ['notification.accepted', 'notification.status-read']);
  });

  test(`${engine.name}: another client's notification, an unknown id and a malformed id get the same refusal`, async (t) => {
    const { app } = await setUp(t);
    const id = await app.accept({ citizenId: 'cit-ada' });
    const answers = [
      await app.read(id, { clientId: 'other' }),
      await app.read('ntf_0123456789ABCDEFGHJKMNPQRS'),
      await app.read('x'),
      await app.cancel(id, { clientId: 'other' }),
    ];
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.ok(answers[0] !== undefined && 'refused' in answers[0]);
    assert.equal(answers[0].refused.slug, 'notification-not-found');
    assert.deepEqual(await app.events(), ['notification.accepted']);
  });

  test(`${engine.name}: the list has only the client's notifications, newest first, in pages without gaps or duplicates`, async (t) => {
    const { time, app } = await setUp(t);
    const ids: string[] = [];
    for (let count = 0; count < 7; count += 1) {
      // Pairs share an instant, so their ids decide. Every third has another status.
      if (count % 2 === 0) time.now += hour;
      const later = count % 3 === 1 ? { sendAt: '2026-02-01T00:00:00Z' } : {};
      ids.push(await app.accept({ citizenId: 'cit-ada', reference: 'case-7', ...later }));
    }
    await app.accept({ citizenId: 'cit-ada', reference: 'case-7' }, { clientId: 'other' });
    for (const filter of ['', '&reference=case-7', '&citizenId=cit-ada']) {
      const listed: unknown[] = [];
      let cursor = '';
      for (let page = 0; page < 9; page += 1) {
        const answer = await app.list(`limit=3${filter}${cursor}`);
        assert.ok('json' in answer);
        listed.push(...(answer.json['items'] as Array<{ id: string }>).map((item) => item.id));
        if (answer.json['next'] === null) break;
        cursor = `&cursor=${answer.json['next']}`;
      }
      assert.deepEqual(listed, ids.toReversed(), filter);
    }
  });

  test(`${engine.name}: each filter of the list applies, alone and combined`, async (t) => {
    const { time, app } = await setUp(t);
    const first = await app.accept({ citizenId: 'cit-ada', reference: 'a' });
    time.now += hour;
    const second = await app.accept({ citizenId: 'cit-bo', reference: 'a', sendAt: '2026-02-01T00:00:00Z' });
    time.now += hour;
    const third = await app.accept({ citizenId: 'cit-bo', reference: 'b' });
    const find = async (query: string) => {
      const answer = await app.list(query);
      assert.ok('json' in answer, query);
      return (answer.json['items'] as Array<{ id: string }>).map((item) => item.id);
    };
    const page = await app.list('limit=1');
    const cursor = 'json' in page ? page.json['next'] : assert.fail();
    assert.deepEqual(
      {
        reference: await find('reference=a'),
        citizen: await find('citizenId=cit-bo'),
        status: await find('status=scheduled'),
        from: await find('createdFrom=2026-01-15T10:00:00Z'),
        before: await find('createdBefore=2026-01-15T10:00:00Z'),
        both: await find('reference=a&citizenId=cit-bo'),
        all: await find('reference=a&citizenId=cit-bo&status=scheduled&createdFrom=2026-01-15T10:00:00Z&limit=100'),
        none: await find('reference=b&status=scheduled'),
        statusSince: await find('status=scheduled&createdFrom=2026-01-15T11:00:00Z'),
        statuses: await find('status=accepted'),
        pageBefore: await find(`createdBefore=2026-01-15T10:00:00Z&cursor=${cursor}`),
      },
      {
        reference: [second, first],
        citizen: [third, second],
        status: [second],
        from: [third, second],
        before: [first],
        both: [second],
        all: [second],
        none: [],
        statusSince: [],
        statuses: [third, first],
        pageBefore: [first],
      },
    );
  });

  test(`${engine.name}: a list has the deliveries and reasons of the single read, also for a sender who may know the citizen`, async (t) => {
    const { db, app } = await setUp(t);
    const failed = await app.accept({ citizenId: 'cit-ada' });
    await app.accept({ citizenId: 'cit-bo', reference: 'b' });
    await app.accept({ citizenId: 'cit-bo' }, { clientId: 'knowing office' });
    await db.write([
      {
        sql: "update delivery set status = 'failed', attempts = 1, ended_at = 1, reason = 'address-invalid' where notification_id = $1",
        args: [failed],
      },
      { sql: "update notification set status = 'undeliverable' where id = $1", args: [failed] },
    ]);
    for (const clientId of ['tax-office', 'knowing office']) {
      const answer = await app.serve(listNotifications)({}, { clientId });
      assert.ok('json' in answer);
      const rows = answer.json['items'] as Array<{ id: string; status: string; reason?: object; deliveries: object[] }>;
      for (const row of rows) {
        const { deliveries, reason } = await app.show(row.id, { clientId });
        assert.deepEqual([row.deliveries, row.reason], [deliveries, reason]);
      }
      if (clientId === 'tax-office') assert.equal(Object(rows.at(-1)?.reason)['code'], 'address-invalid');
    }
  });

  test(`${engine.name}: each listed notification is recorded as a use of data`, async (t) => {
    const { app } = await setUp(t);
    await app.accept({ citizenId: 'cit-ada' });
    await app.accept({ citizenId: 'cit-bo' });
    await app.list('');
    await app.list('reference=none');
    assert.deepEqual((await app.events()).slice(2), [
      'notifications.listed',
      'notification.status-read',
      'notification.status-read',
      'notifications.listed',
    ]);
  });

  test(`${engine.name}: a cursor that no page returned is refused`, async (t) => {
    const { app } = await setUp(t);
    for (const cursor of ['x', 'MS4y', Buffer.from('1.ntf_x').toString('base64url')]) {
      const answer = await app.list(`cursor=${cursor}`);
      assert.ok('refused' in answer);
      assert.deepEqual(
        answer.refused.issues?.map(({ name, code }) => `${name} ${code}`),
        ['cursor malformed'],
      );
    }
  });

  test(`${engine.name}: a scheduled notification can be cancelled, and cancelling it again gives the same answer`, async (t) => {
    const { db, app } = await setUp(t);
    const id = await app.accept({ citizenId: 'cit-ada', sendAt: '2026-02-01T00:00:00Z' });
    const cancelled = await app.cancel(id);
    assert.ok('json' in cancelled);
    assert.deepEqual(
      [cancelled.json['status'], (cancelled.json['deliveries'] as Array<{ status: string }>).map((one) => one.status)],
      ['cancelled', ['skipped', 'skipped']],
    );
    const again = await app.cancel(id);
    assert.deepEqual(again, cancelled);
    assert.deepEqual(await app.show(id), cancelled.json);
    assert.deepEqual(await db.read("select id from delivery where status = 'queued'"), []);
    assert.deepEqual((await app.events()).slice(1), [
      'notification.cancelled',
      'notification.status-read',
      'notification.status-read',
    ]);
  });

  test(`${engine.name}: a notification in the inbox cannot be cancelled`, async (t) => {
    const { app } = await setUp(t);
    const answer = await app.cancel(await app.accept({ citizenId: 'cit-ada' }));
    assert.ok('refused' in answer);
    assert.equal(answer.refused.slug, 'conflict');
  });

  test(`${engine.name}: a cancellation is refused when a worker claims a delivery at the same time`, async (t) => {
    const { db, app } = await setUp(t);
    const id = await app.accept({ citizenId: 'cit-ada', sendAt: '2026-02-01T00:00:00Z' });
    const claim = {
      sql: "update delivery set status = 'sending', attempts = 1, locked_by = 'worker/x' where notification_id = $1 and channel = 'email'",
      args: [id],
    };
    // The claim is written after the reads of the cancellation and before its write.
    const { write } = db;
    db.write = async (unit) => {
      db.write = write;
      await write([claim]);
      return await write(unit);
    };
    const answer = await app.cancel(id);
    assert.ok('refused' in answer);
    assert.equal(answer.refused.slug, 'conflict');
    assert.equal((await app.show(id))['status'], 'sending');
    assert.equal((await app.events()).includes('notification.cancelled'), false);
  });

  test(`${engine.name}: two concurrent cancellations both succeed, with one event`, async (t) => {
    const { app } = await setUp(t);
    const id = await app.accept({ citizenId: 'cit-ada', sendAt: '2026-02-01T00:00:00Z' });
    const [one, other] = await Promise.all([app.cancel(id), app.cancel(id)]);
    assert.ok('json' in one && 'json' in other);
    assert.deepEqual([one.status, one.json['status']], [200, 'cancelled']);
    assert.deepEqual(other, one);
    assert.deepEqual((await app.events()).slice(1).sort(), ['notification.cancelled', 'notification.status-read']);
  });

  test(`${engine.name}: a refused cancellation names the reason for the current state`, async (t) => {
    const { db, app } = await setUp(t);
    const refusedDetail = async (set: string, status = 'scheduled') => {
      const id = await app.accept({ citizenId: 'cit-ada', sendAt: '2026-02-01T00:00:00Z' });
      await db.write([
        { sql: `update delivery set ${set} where notification_id = $1`, args: [id] },
        { sql: 'update notification set status = $1 where id = $2', args: [status, id] },
      ]);
      const answer = await app.cancel(id);
      assert.ok('refused' in answer && answer.refused.slug === 'conflict');
      return answer.refused.detail;
    };
    const failed = "status = 'failed', attempts = 1, ended_at = 1, reason = 'address-invalid'";
    assert.match(
      String(await refusedDetail("status = 'sent', ended_at = 1", 'sending')),
      /^A part of the notification was sent/,
    );
    assert.match(
      String(await refusedDetail("status = 'delivered', ended_at = 1", 'read')),
      /^The citizen read the notification/,
    );
    assert.match(String(await refusedDetail(failed, 'undeliverable')), /nothing was sent, so you need not cancel it/);
    assert.match(String(await refusedDetail('attempts = 1', 'sending')), /^A channel has started/);
  });
}
